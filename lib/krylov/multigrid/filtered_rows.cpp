#include "krylov/multigrid/filtered_rows.hpp"

#include <cmath>
#include <complex>
#include <optional>

namespace spsolve::inline krylov {

namespace {

/// n_j / n_i; 1 where an n is not known.
double weight(double of_row, double of_column) {
  return of_row != 0 && of_column != 0 ? of_column / of_row : 1.0;
}

/// The number whose parts begin at this value of a row of real parts, as its connection tells it.
std::complex<double> number_at(const double* value, NodeNumbers numbers) {
  if (numbers == NodeNumbers::real) return *value;
  if (numbers == NodeNumbers::turned) return -std::hypot(value[0], value[1]);
  return {value[0], -value[1]};
}

}  // namespace

void FilteredRows::operator()(Index i, RowChunk& chunk) const {
  const Index size = kind_.size, node = i / size;
  const auto step = static_cast<std::size_t>(kind_.step());
  const auto columns = rows_.row_columns(i);
  const auto values = rows_.row_values(i);
  // The nodes that a node depends on follow in its list as in its rows.
  Index next = dependences_.offsets[node], before = -1;
  const Index end = dependences_.offsets[node + 1];
  bool depends = false;
  std::complex<double> dropped = 0;
  std::optional<std::size_t> diagonal;
  for (std::size_t k = 0; k < columns.size(); k += step) {
    const Index other = columns[k] / size;
    if (other != before) {
      if (depends) ++next;
      before = other;
      depends = next < end && dependences_.neighbours[next] == other;
    }
    if (!depends && other != node) {
      // Between unknowns of the same kind: the others do not act on that kind's constants.
      if (columns[k] % size == i % size) {
        dropped += number_at(&values[k], kind_.numbers) * weight(lone_[i], lone_[columns[k]]);
      }
      continue;
    }
    if (columns[k] == i) diagonal = chunk.values.size();
    for (std::size_t part = k; part < k + step; ++part) {
      chunk.columns.push_back(columns[part]);
      chunk.values.push_back(values[part]);
    }
  }
  if (!diagonal) return;
  chunk.values[*diagonal] += dropped.real();
  if (kind_.pairs()) chunk.values[*diagonal + 1] -= dropped.imag();
}

}  // namespace spsolve::krylov
