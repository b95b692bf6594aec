#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "distribute/foreign_columns.hpp"
#include "matrix/made_of_rows.hpp"

namespace spsolve {

/// How the columns of a row that is summed up follow each other.
enum class ColumnOrder {
  ascending,
  as_met,  ///< for a matrix that is nothing but the right one of another product
};

/// A matrix B in two parts, as a product over ranks meets it: the left factor's column j is row j
/// of `own` for j < own.rows, and row j - own.rows of `halo` behind. Both outlive the object.
struct RightFactor {
  /// `own_columns`: this rank's share of B's columns, which most of these rows' are in.
  RightFactor(const Csr<double>& own_rows, const Csr<double>& halo_rows, Range own_columns);

  const Csr<double>& own;
  const Csr<double>& halo;
  ColumnPlaces places;  ///< of all columns that the rows name
};

/// Sums up one row of A B after the other, for a thread, see sparse_product(). Outlived by B.
class RowSum {
 public:
  RowSum(const RightFactor& b, ColumnOrder order)
      : b_(b),
        order_(order),
        sums_(static_cast<std::size_t>(b.places.count())),
        met_(sums_.size() + 1) {}

  /// Adds the row of number i to the chunk, for that row of A. Rows are told apart by their
  /// numbers.
  void operator()(Index i, std::span<const LocalIndex> rows, std::span<const double> values,
                  RowChunk& chunk) {
    std::size_t met = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const bool mine = rows[k] < b_.own.rows;
      const Csr<double>& b = mine ? b_.own : b_.halo;
      const Index row = mine ? rows[k] : rows[k] - b_.own.rows;
      const auto others = b.row_columns(row);
      const auto factors = b.row_values(row);
      // Without a branch on what is new, which would be foreseen wrongly for every second entry.
      for (std::size_t entry = 0; entry < others.size(); ++entry) {
        const LocalIndex place = b_.places.place(others[entry]);
        const double term = values[k] * factors[entry];
        Sum& sum = sums_[place];
        const bool is_new = sum.row != i;
        met_[met] = place;
        met += is_new;
        sum = {is_new ? term : sum.value + term, i};
      }
    }
    const auto end = met_.begin() + static_cast<std::ptrdiff_t>(met);
    if (order_ == ColumnOrder::ascending) std::sort(met_.begin(), end);
    for (auto place = met_.begin(); place != end; ++place) {
      chunk.columns.push_back(static_cast<LocalIndex>(b_.places.column(*place)));
      chunk.values.push_back(sums_[*place].value);
    }
  }

 private:
  /// Of one column, in the last row that has it.
  struct Sum {
    double value = 0;
    Index row = -1;
  };

  const RightFactor& b_;
  ColumnOrder order_;
  std::vector<Sum> sums_;
  std::vector<LocalIndex> met_;  // places
};

/// C = A B. By rows, in threads, each with an accumulator of as many places as B's rows here name
/// columns (Gustavson, 1978): bits that do not depend on the number of threads. Cost: one
/// multiplication for every pair of entries a_ij, b_jk, and the sorting of rows.
Csr<double> sparse_product(const Csr<double>& a, const RightFactor& b,
                           ColumnOrder order = ColumnOrder::ascending);

}  // namespace spsolve
