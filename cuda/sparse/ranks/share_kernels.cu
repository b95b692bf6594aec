#include "cuda/core/launch.cuh"
#include "cuda/sparse/ranks/share_kernels.hpp"
#include "sparse/layout/device_layout.hpp"

namespace spsolve::cuda::inline sparse {

namespace {

constexpr int threads = 256, side = share_tile, warps = threads / warp_size;

__device__ bool is_above_blocks(int row, int column) {
  return row / pivot_block < column / pivot_block;
}

/// Columns are written as they are read; place_of(r, c) is negative for what is left out.
template <bool adds, typename T, typename PlaceOf>
__device__ void move_columns(const T* from, Index ld, int rows, int columns, T* to,
                             const PlaceOf& place_of) {
  const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  for (int c = warp; c < columns; c += warps) {
#pragma unroll
    for (int r = lane; r < side; r += warp_size) {
      if (r >= rows) break;
      const Index place = place_of(r, c);
      if (place < 0) continue;
      const T value = from[r + c * ld];
      to[place] = adds ? to[place] + value : value;
    }
  }
}

template <typename T>
__global__ void __launch_bounds__(threads)
    move_shares_kernel(const ShareTile* tiles, const FrontMove* moves, const int* places,
                       T* arena) {
  __shared__ int row_at[side], column_at[side];
  __shared__ T turned[side][side + 1];
  const ShareTile tile = tiles[blockIdx.x];
  const FrontMove move = moves[tile.move];
  const int row = tile.row * side, column = tile.column * side;
  const int rows = min(side, move.rows - row), columns = min(side, move.columns - column);
  const Index ld = move.ld_from, ld_to = move.ld_to;
  const T* const from = arena + move.from + row + column * ld;
  T* const to = arena + move.to;
  if (move.what == FrontMove::copy) {
    return move_columns<false>(from, ld, rows, columns, to,
                               [&](int r, int c) { return row + r + (column + c) * ld_to; });
  }
  const int* const row_places = places + move.row_places + row;
  const int* const column_places = places + move.column_places + column;
  for (int i = threadIdx.x; i < side; i += threads) {
    row_at[i] = i < rows ? row_places[i] : 0;
    column_at[i] = i < columns ? column_places[i] : 0;
  }
  __syncthreads();
  const auto in_panel = [&](int place, int base) {
    return place - base + (place < move.pivots ? 0 : move.gap);
  };
  const int below = move.below + row - column;
  if (move.what == FrontMove::add_upper) {
    const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
    for (int c = warp; c < columns; c += warps) {
      for (int r = lane; r < rows; r += warp_size) turned[r][c] = from[r + c * ld];
    }
    __syncthreads();
    for (int r = warp; r < rows; r += warps) {
      const int i = row_at[r];
      T* const line = to + (i - move.base_column) * ld_to;
      for (int c = lane; c < columns; c += warp_size) {
        const int j = column_at[c];
        if (j < move.pivots && !is_above_blocks(i, j)) continue;
        line[in_panel(j, move.base_row)] += turned[r][c];
      }
    }
    return;
  }
  const bool to_panel = move.what == FrontMove::add_lower;
  move_columns<true>(from, ld, rows, columns, to, [&](int r, int c) -> Index {
    const int i = row_at[r], j = column_at[c];
    if (move.symmetric && r + below < c) return -1;
    if (to_panel && i < move.pivots && is_above_blocks(i, j)) return -1;
    return (to_panel ? in_panel(i, move.base_row) : i - move.base_row) +
           (j - move.base_column) * ld_to;
  });
}

}  // namespace

template <typename T>
void move_shares(const ShareTile* tiles, Index count, const FrontMove* moves, const int* places,
                 T* arena, cudaStream_t stream) {
  if (count == 0) return;
  move_shares_kernel<<<static_cast<unsigned>(count), threads, 0, stream>>>(tiles, moves, places,
                                                                           arena);
  check_launch("move_shares");
}

SPSOLVE_INSTANTIATE_FUNCTION(move_shares)

}  // namespace spsolve::cuda::sparse
