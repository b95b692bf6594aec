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
        met_(static_cast<std::size_t>(own.columns), -1) {}

  /// Adds row i of A B to the chunk.
  void operator()(Index i, RowChunk& chunk) {
    columns_.clear();
    const auto places = a_.row_columns(i);
    const auto values = a_.row_values(i);
    for (std::size_t k = 0; k < places.size(); ++k) {
      const bool mine = places[k] < own_.rows;
      const Csr<double>& b = mine ? own_ : halo_;
      const Index row = mine ? places[k] : places[k] - own_.rows;
      const auto others = b.row_columns(row);
      const auto factors = b.row_values(row);
      for (std::size_t entry = 0; entry < others.size(); ++entry) {
        const LocalIndex column = others[entry];
        const double term = values[k] * factors[entry];
        if (met_[column] != i) {
          met_[column] = i;
          sums_[column] = term;
          columns_.push_back(column);
        } else {
          sums_[column] += term;
        }
      }
    }
    std::ranges::sort(columns_);
    for (const LocalIndex column : columns_) chunk.values.push_back(sums_[column]);
    chunk.columns.insert(chunk.columns.end(), columns_.begin(), columns_.end());
  }

 private:
  const Csr<double>& a_;
  const Csr<double>& own_;
  const Csr<double>& halo_;
  std::vector<double> sums_;
  std::vector<Index> met_;  // the last row that has the column
  std::vector<LocalIndex> columns_;
};

}  // namespace

Csr<double> sparse_product(const Csr<double>& a, const Csr<double>& own, const Csr<double>& halo) {
  return made_of_rows(a.rows, own.columns, [&] { return RowSum(a, own, halo); });
}

}  // namespace spsolve
