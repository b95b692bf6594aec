#include "krylov/multigrid/sparse_product.hpp"

#include <algorithm>

#include "krylov/multigrid/row_chunks.hpp"

namespace spsolve {

namespace {

/// Sums up one row of C after the other.
class RowSum {
 public:
  RowSum(const Csr<double>& a, const Csr<double>& own, const Csr<double>& halo)
      : a_(a),
        own_(own),
        halo_(halo),
        sums_(static_cast<std::size_t>(own.columns)),
        columns_(static_cast<std::size_t>(own.columns) + 1) {}

  /// Adds row i of A B to the chunk.
  void operator()(Index i, RowChunk& chunk) {
    std::size_t met = 0;
    const auto places = a_.row_columns(i);
    const auto values = a_.row_values(i);
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
    std::sort(columns_.begin(), end);
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

  const Csr<double>& a_;
  const Csr<double>& own_;
  const Csr<double>& halo_;
  std::vector<Sum> sums_;
  std::vector<LocalIndex> columns_;
};

}  // namespace

Csr<double> sparse_product(const Csr<double>& a, const Csr<double>& own, const Csr<double>& halo) {
  return made_of_rows(a.rows, own.columns, [&] { return RowSum(a, own, halo); });
}

}  // namespace spsolve
