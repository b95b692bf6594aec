#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cuda/core/device_array.hpp"
#include "cuda/multiply/fast/cut_rows.hpp"
#include "matrix/csr.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve::cuda::inline multiply {

/// Non-zeros of a tile at most, and rows.
inline constexpr Index tile_nonzeros = 1024, tile_rows = 1024;

/// Rows of a tile with more non-zeros than this are summed by several threads.
inline constexpr Index tile_short_row = 32;

/// A tile of consecutive whole rows, or a piece of one longer row.
struct RowTile {
  Index first;      ///< place of its first non-zero
  Index first_row;  ///< of a piece: its row
  LocalIndex nonzeros;
  LocalIndex rows;        ///< 0: a piece
  LocalIndex first_wide;  ///< its rows of more than tile_short_row non-zeros in `wide_rows`; of a
                          ///< piece: its row among the cut rows
  LocalIndex place;       ///< rows: number of wide rows; a piece: its number
};

/// Tiles, on the host.
struct TileList {
  std::vector<RowTile> tiles;
  std::vector<std::uint16_t> row_ends;   ///< by row: non-zeros of its tile up to its end
  std::vector<std::uint16_t> wide_rows;  ///< places in their tiles
  CutRowList cut;
};

/// Packs rows into tiles: as many as fit, pieces of rows that don't fit into one.
TileList tiles_of(std::span<const Index> row_offsets);

/// CSR cut into tiles of about equal numbers of non-zeros.
template <typename T>
struct RowTiles {
  DeviceArray<RowTile> tiles;
  DeviceArray<std::uint16_t> row_ends;
  DeviceArray<std::uint16_t> wide_rows;
  DeviceArray<LocalIndex> column_indices;
  DeviceArray<T> values;
  CutRows<T> cut;
  DeviceArray<unsigned> arrived;  ///< by cut row: pieces done so far; 0 between products

  static RowTiles from_csr(const Csr<T>& matrix, const KernelOptions& options);
  std::int64_t bytes() const {
    return tiles.bytes() + row_ends.bytes() + wide_rows.bytes() + column_indices.bytes() +
           values.bytes() + cut.bytes() + arrived.bytes();
  }
};

/// Y = A X on the current stream, X and Y row-major in GPU memory, up to 4 columns at a time: a
/// block per tile forms the products of all its non-zeros, the same number in every thread, in
/// shared memory, then a thread per short row and 8 per longer one add them up (after
/// CSR-Stream of Greathouse and Daga, 2014, with longer rows shared by blocks: the last to come
/// adds up all pieces, in order). Sums have a fixed order. Cost: 2 nnz K; the matrix is read once
/// for every 4 columns.
template <typename T>
void csr_tiles(RowTiles<T>& a, const T* x, T* y, Index columns);

}  // namespace spsolve::cuda::multiply
