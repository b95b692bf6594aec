#include "krylov/multigrid/filtered_rows.hpp"

#include <optional>

namespace spsolve::inline krylov {

namespace {

/// a_ij n_j / n_i; a_ij where an n is not known.
double weighed(double value, double of_row, double of_column) {
  return of_row != 0 && of_column != 0 ? value * (of_column / of_row) : value;
}

}  // namespace

void FilteredRows::operator()(Index i, RowChunk& chunk) const {
  const Index node = i / size_;
  const auto columns = rows_.row_columns(i);
  const auto values = rows_.row_values(i);
  // The nodes that a node depends on follow in its list as in its rows.
  Index next = dependences_.offsets[node], before = -1;
  const Index end = dependences_.offsets[node + 1];
  bool depends = false;
  double dropped = 0;
  std::optional<std::size_t> diagonal;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Index other = columns[k] / size_;
    if (other != before) {
      if (depends) ++next;
      before = other;
      depends = next < end && dependences_.neighbours[next] == other;
    }
    if (!depends && other != node) {
      // Between unknowns of the same kind: the others do not act on that kind's constants.
      if (columns[k] % size_ == i % size_) {
        dropped += weighed(values[k], lone_[i], lone_[columns[k]]);
      }
      continue;
    }
    if (columns[k] == i) diagonal = chunk.values.size();
    chunk.columns.push_back(columns[k]);
    chunk.values.push_back(values[k]);
  }
  if (diagonal) chunk.values[*diagonal] += dropped;
}

}  // namespace spsolve::krylov
