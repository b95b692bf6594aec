#pragma once

#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include "distribute/foreign_columns.hpp"
#include "matrix/made_of_rows.hpp"

namespace spsolve::inline krylov {

/// How the columns of a row that is summed up follow each other.
enum class ColumnOrder {
  ascending,
  as_met,  ///< for a matrix that is nothing but the right one of another product
};

/// A matrix B in two parts, as a product over ranks meets it: the left factor's column j is row j
/// of `own` for j < own.rows, and row j - own.rows of `halo` from there on.
struct RightFactor {
  /// `own_columns`: this rank's share of B's columns, which most of these rows' are in. `together`:
  /// columns that may come in runs of so many. `are_pairs`: both factors are real forms of complex
  /// matrices, and so is the product.
  RightFactor(const Csr<double>& own_rows, const Csr<double>& halo_rows, Range own_columns,
              Index together = 1, bool are_pairs = false);

  const Csr<double>& own;
  const Csr<double>& halo;
  ColumnPlaces places;  ///< of all columns that the rows name

  /// In every row columns come in runs of so many, 1, 2, 3 or 6, each from a multiple of that on.
  int run = 1;

  bool pairs = false;  ///< of a product only rows of real parts are summed up
};

/// Sums up one row of A B after the other, for a thread, see sparse_product(): of a B of such runs,
/// which are added up together. Outlived by B.
template <int Run>
class RowSum {
 public:
  RowSum(const RightFactor& b, ColumnOrder order)
      : b_(b),
        order_(order),
        sums_(static_cast<std::size_t>(b.places.count() / Run)),
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
      const double* factors = b.row_values(row).data();
      // Without a branch on what is new, which would be foreseen wrongly for every second entry.
      for (std::size_t entry = 0; entry < others.size(); entry += Run, factors += Run) {
        const LocalIndex place = b_.places.place(others[entry]) / Run;
        Sums& sums = sums_[place];
        const bool is_new = sums.row != i;
        met_[met] = place;
        met += is_new;
        sums.row = i;
        for (int column = 0; column < Run; ++column) {
          const double term = values[k] * factors[column];
          sums.values[column] = is_new ? term : sums.values[column] + term;
        }
      }
    }
    const auto end = met_.begin() + static_cast<std::ptrdiff_t>(met);
    if (order_ == ColumnOrder::ascending) std::sort(met_.begin(), end);
    for (auto place = met_.begin(); place != end; ++place) {
      for (int column = 0; column < Run; ++column) {
        chunk.columns.push_back(
            static_cast<LocalIndex>(b_.places.column(Index{Run} * *place + column)));
        chunk.values.push_back(sums_[*place].values[column]);
      }
    }
  }

 private:
  /// The sums of a run of columns, in the last row that has it.
  struct Sums {
    double values[Run] = {};
    Index row = -1;
  };

  const RightFactor& b_;
  ColumnOrder order_;
  std::vector<Sums> sums_;
  std::vector<LocalIndex> met_;  // places of runs
};

/// use(std::integral_constant of b.run)
template <typename Use>
auto with_run_of(const RightFactor& b, const Use& use) {
  switch (b.run) {
    case 2:
      return use(std::integral_constant<int, 2>());
    case 3:
      return use(std::integral_constant<int, 3>());
    case 6:
      return use(std::integral_constant<int, 6>());
    default:
      return use(std::integral_constant<int, 1>());
  }
}

/// C = A B. By rows, in threads, each with an accumulator of as many places as B's rows here name
/// columns (Gustavson, 1978): bits that do not depend on the number of threads. Cost: one
/// multiplication for every pair of entries a_ij, b_jk, and the sorting of rows.
Csr<double> sparse_product(const Csr<double>& a, const RightFactor& b,
                           ColumnOrder order = ColumnOrder::ascending);

}  // namespace spsolve::krylov
