#include "krylov/multigrid/sparse_product.hpp"

#include <algorithm>
#include <exception>
#include <optional>

namespace spsolve {

namespace {

/// Rows of C that one thread computes at a time.
struct Chunk {
  std::vector<LocalIndex> columns;
  std::vector<double> values;
};

/// Sums up one row of C after the other.
class RowSum {
 public:
  explicit RowSum(Index columns)
      : sums_(static_cast<std::size_t>(columns)), met_(static_cast<std::size_t>(columns), -1) {}

  /// Adds row i of A B to the chunk; hands back its length.
  Index add_row(const Csr<double>& a, const Csr<double>& own, const Csr<double>& halo, Index i,
                Chunk& chunk) {
    columns_.clear();
    const auto places = a.row_columns(i);
    const auto values = a.row_values(i);
    for (std::size_t k = 0; k < places.size(); ++k) {
      const bool mine = places[k] < own.rows;
      const Csr<double>& b = mine ? own : halo;
      const Index row = mine ? places[k] : places[k] - own.rows;
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
    return static_cast<Index>(columns_.size());
  }

 private:
  std::vector<double> sums_;
  std::vector<Index> met_;  // the last row that has the column
  std::vector<LocalIndex> columns_;
};

}  // namespace

Csr<double> sparse_product(const Csr<double>& a, const Csr<double>& own, const Csr<double>& halo) {
  constexpr Index rows_of_chunk = 4096;
  const Index chunks = (a.rows + rows_of_chunk - 1) / rows_of_chunk;
  std::vector<Chunk> parts(static_cast<std::size_t>(chunks));
  Csr<double> c;
  c.rows = a.rows;
  c.columns = own.columns;
  c.row_offsets.assign(static_cast<std::size_t>(a.rows) + 1, 0);
  std::exception_ptr failure;
#pragma omp parallel
  {
    std::optional<RowSum> sum;
#pragma omp for schedule(dynamic)
    for (Index k = 0; k < chunks; ++k) {
      try {
        if (!sum) sum.emplace(c.columns);
        const Index last = std::min(a.rows, (k + 1) * rows_of_chunk);
        for (Index i = k * rows_of_chunk; i < last; ++i) {
          c.row_offsets[i + 1] = sum->add_row(a, own, halo, i, parts[k]);
        }
      } catch (...) {
#pragma omp critical(spsolve_sparse_product)
        failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
  for (Index i = 0; i < c.rows; ++i) c.row_offsets[i + 1] += c.row_offsets[i];
  c.column_indices.resize(static_cast<std::size_t>(c.nonzeros()));
  c.values.resize(static_cast<std::size_t>(c.nonzeros()));
#pragma omp parallel for schedule(static)
  for (Index k = 0; k < chunks; ++k) {
    const Index first = c.row_offsets[k * rows_of_chunk];
    std::ranges::copy(parts[k].columns, c.column_indices.begin() + first);
    std::ranges::copy(parts[k].values, c.values.begin() + first);
  }
  return c;
}

}  // namespace spsolve
