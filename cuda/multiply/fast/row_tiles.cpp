#include "cuda/multiply/fast/row_tiles.hpp"

#include <algorithm>

#include "cuda/core/nvtx.hpp"

namespace spsolve::cuda::inline multiply {

TileList tiles_of(std::span<const Index> row_offsets) {
  TileList list;
  const auto rows = static_cast<Index>(row_offsets.size()) - 1;
  const auto length = [&](Index row) { return row_offsets[row + 1] - row_offsets[row]; };
  list.row_ends.resize(static_cast<std::size_t>(rows));
  for (Index row = 0; row < rows;) {
    const Index first = row_offsets[row];
    if (length(row) > tile_nonzeros) {
      const Index pieces = pieces_of(length(row), tile_nonzeros);
      for (Index p = 0; p < pieces; ++p) {
        const Index from = p * length(row) / pieces, to = (p + 1) * length(row) / pieces;
        list.tiles.push_back({first + from, row, static_cast<LocalIndex>(to - from), 0,
                              static_cast<LocalIndex>(list.cut.rows.size()),
                              static_cast<LocalIndex>(list.cut.count() + p)});
      }
      list.cut.rows.push_back(row);
      list.cut.pieces.push_back(static_cast<LocalIndex>(list.cut.count() + pieces));
      ++row;
      continue;
    }
    const Index first_row = row;
    const auto first_wide = static_cast<LocalIndex>(list.wide_rows.size());
    for (;
         row < rows && row - first_row < tile_rows && row_offsets[row + 1] - first <= tile_nonzeros;
         ++row) {
      list.row_ends[row] = static_cast<std::uint16_t>(row_offsets[row + 1] - first);
      if (length(row) > tile_short_row) {
        list.wide_rows.push_back(static_cast<std::uint16_t>(row - first_row));
      }
    }
    list.tiles.push_back({first, first_row, static_cast<LocalIndex>(row_offsets[row] - first),
                          static_cast<LocalIndex>(row - first_row), first_wide,
                          static_cast<LocalIndex>(list.wide_rows.size()) - first_wide});
  }
  return list;
}

template <typename T>
RowTiles<T> RowTiles<T>::from_csr(const Csr<T>& matrix, const KernelOptions&) {
  const NvtxRange range("convert to tiles of rows");
  const TileList list = tiles_of(matrix.row_offsets);
  return {DeviceArray<RowTile>(list.tiles),
          DeviceArray<std::uint16_t>(list.row_ends),
          DeviceArray<std::uint16_t>(list.wide_rows),
          DeviceArray<LocalIndex>(matrix.column_indices),
          DeviceArray<T>(matrix.values),
          CutRows<T>::from_list(list.cut),
          DeviceArray<unsigned>(std::vector<unsigned>(list.cut.rows.size()))};
}

SPSOLVE_INSTANTIATE(struct RowTiles)

}  // namespace spsolve::cuda::multiply
