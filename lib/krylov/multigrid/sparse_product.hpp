#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "krylov/multigrid/row_chunks.hpp"
#include "matrix/csr.hpp"

namespace spsolve {

/// How the columns of a row that is summed up follow each other.
enum class ColumnOrder {
  ascending,
  as_met,  ///< for a matrix that is nothing but the right one of another product
};

/// Sums up one row of A B after the other, for a thread, see sparse_product().
class RowSum {
 public:
  RowSum(const Csr<double>& own, const Csr<double>& halo, ColumnOrder order)
      : own_(own),
        halo_(halo),
        order_(order),
        sums_(static_cast<std::size_t>(own.columns)),
        columns_(static_cast<std::size_t>(own.columns) + 1) {}

  /// Adds the row of number i to the chunk, for that row of A. Rows are told apart by their
  /// numbers.
  void operator()(Index i, std::span<const LocalIndex> places, std::span<const double> values,
                  RowChunk& chunk) {
    std::size_t met = 0;
    for (std::size_t k = 0; k < places.size(); ++k) {
      const bool mine = places[k] < own_.rows;
      const Csr<double>& b = mine ? own_ : halo_;
      const Index row = mine ? places[k] : places[k] - own_.rows;
      const auto others = b.row_columns(row);
      const auto factors = b.row_values(row);
      // Without a branch, which would be foreseen wrongly for every second entry.
      for (std::size_t entry = 0; entry < others.size(); ++entry) {
        const LocalIndex column = others[entry];
        const double term = values[k] * factors[entry];
        Sum& sum = sums_[column];
        const bool is_new = sum.row != i;
        columns_[met] = column;
        met += is_new;
        sum = {is_new ? term : sum.value + term, i};
      }
    }
    const auto end = columns_.begin() + static_cast<std::ptrdiff_t>(met);
    if (order_ == ColumnOrder::ascending) std::sort(columns_.begin(), end);
    chunk.columns.insert(chunk.columns.end(), columns_.begin(), end);
    for (auto column = columns_.begin(); column != end; ++column) {
      chunk.values.push_back(sums_[*column].value);
    }
  }

 private:
  /// Of one column, in the last row that has it.
  struct Sum {
    double value = 0;
    Index row = -1;
  };

  const Csr<double>& own_;
  const Csr<double>& halo_;
  ColumnOrder order_;
  std::vector<Sum> sums_;
  std::vector<LocalIndex> columns_;
};

/// C = A B for a matrix B in two parts: column j of A meets row j of `own` for j < own.rows, and
/// row j - own.rows of `halo` behind, as BandMatrix numbers the columns of its rows. By rows, in
/// threads, each with an accumulator of as many places as C has columns (Gustavson, 1978): bits
/// that do not depend on the number of threads. Cost: one multiplication for every pair of entries
/// a_ij, b_jk, and the sorting of rows.
Csr<double> sparse_product(const Csr<double>& a, const Csr<double>& own, const Csr<double>& halo,
                           ColumnOrder order = ColumnOrder::ascending);

}  // namespace spsolve
