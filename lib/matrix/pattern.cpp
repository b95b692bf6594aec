#include "matrix/pattern.hpp"

#include <algorithm>

#include "matrix/structure.hpp"

namespace spsolve {

Pattern pattern_of(const Csr<double>& matrix, Index most_cells) {
  Pattern pattern{matrix.rows, matrix.columns, matrix.nonzeros(), 0, 0, {}, {0}};
  const Index longer = std::max(matrix.rows, matrix.columns);
  if (longer == 0) return pattern;
  const Index cells = std::min(most_cells, longer);
  const auto share = [&](Index side) {
    return side == 0 ? 0 : std::max<Index>(1, side * cells / longer);
  };
  pattern.cells_down = share(matrix.rows);
  pattern.cells_across = share(matrix.columns);
  pattern.counts.assign(static_cast<std::size_t>(pattern.cells_down * pattern.cells_across), 0);
  for (Index i = 0; i < matrix.rows; ++i) {
    Index* const counts =
        pattern.counts.data() + i * pattern.cells_down / matrix.rows * pattern.cells_across;
    const auto columns = matrix.row_columns(i);
    for (const Index j : columns) ++counts[j * pattern.cells_across / matrix.columns];
    const std::size_t bin = row_length_bin(static_cast<Index>(columns.size()));
    if (bin >= pattern.row_length_histogram.size()) pattern.row_length_histogram.resize(bin + 1);
    ++pattern.row_length_histogram[bin];
  }
  return pattern;
}

}  // namespace spsolve
