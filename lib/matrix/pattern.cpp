#include "matrix/pattern.hpp"

#include <algorithm>

#include "matrix/structure.hpp"

namespace spsolve::inline matrix {

namespace {

/// pattern_of() for rows and columns in the positions that these functions give them.
template <typename RowPlace, typename ColumnPlace>
Pattern pattern_by(const Csr<double>& matrix, Index most_cells, const RowPlace& row_place,
                   const ColumnPlace& column_place) {
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
    Index* const counts = pattern.counts.data() +
                          row_place(i) * pattern.cells_down / matrix.rows * pattern.cells_across;
    const auto columns = matrix.row_columns(i);
    for (const LocalIndex j : columns) {
      ++counts[column_place(j) * pattern.cells_across / matrix.columns];
    }
    const std::size_t bin = row_length_bin(static_cast<Index>(columns.size()));
    if (bin >= pattern.row_length_histogram.size()) pattern.row_length_histogram.resize(bin + 1);
    ++pattern.row_length_histogram[bin];
  }
  return pattern;
}

}  // namespace

Pattern pattern_of(const Csr<double>& matrix, Index most_cells) {
  const auto in_place = [](Index k) { return k; };
  return pattern_by(matrix, most_cells, in_place, in_place);
}

Pattern pattern_of(const Csr<double>& matrix, std::span<const LocalIndex> row_places,
                   std::span<const LocalIndex> column_places, Index most_cells) {
  return pattern_by(
      matrix, most_cells, [&](Index i) { return Index{row_places[i]}; },
      [&](Index j) { return Index{column_places[j]}; });
}

}  // namespace spsolve::matrix
