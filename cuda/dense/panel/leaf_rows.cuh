#pragma once

// The common parts of the kernels of a panel: rows of a leaf between memory and registers, and the
// results of an election.

#include "cuda/core/launch.cuh"
#include "cuda/core/magnitude.cuh"
#include "cuda/dense/panel/panel_kernels.hpp"

namespace spsolve::cuda::inline dense {

/// Rows that a block of an election takes.
inline constexpr int block_rows = 512;

/// The place of a row in its tile: padded, so that lanes that read one row each meet different
/// banks.
inline constexpr int tile_stride = leaf_width + 1;
inline constexpr int tile_size = warp_size * tile_stride;

template <typename T>
struct alignas(2 * sizeof(T)) Pair {
  T x, y;
};

/// Two neighbours of a row in shared memory by one load; c is even.
template <typename T>
__device__ Pair<T> pair_at(const T* row, int c) {
  return *reinterpret_cast<const Pair<T>*>(row + c);
}

/// Row `mine` of each lane, columns [0, width), into registers: the warp reads one row after
/// another, a lane a column, through its tile in shared memory. Rows below 0 are zero.
template <typename T>
__device__ void load_rows(const T* a, Index stride, int mine, int width, T* tile,
                          T (&row)[leaf_width]) {
  const int lane = threadIdx.x % warp_size;
  T value[warp_size];
#pragma unroll
  for (int r = 0; r < warp_size; ++r) {
    const int from = __shfl_sync(whole_warp, mine, r);
    value[r] = from >= 0 && lane < width ? a[static_cast<Index>(from) * stride + lane] : T{};
  }
#pragma unroll
  for (int r = 0; r < warp_size; ++r) tile[r * tile_stride + lane] = value[r];
  __syncwarp();
#pragma unroll
  for (int c = 0; c < leaf_width; ++c) row[c] = tile[lane * tile_stride + c];
  __syncwarp();
}

/// The way back from the tile, for the rows [first, first + 32) that are below `rows`.
template <typename T>
__device__ void store_tile(T* a, Index stride, Index first, Index rows, int width, const T* tile) {
  const int lane = threadIdx.x % warp_size;
  __syncwarp();
#pragma unroll
  for (int r = 0; r < warp_size; ++r) {
    if (first + r < rows && lane < width) {
      a[(first + r) * stride + lane] = tile[r * tile_stride + lane];
    }
  }
  __syncwarp();
}

/// Writes the results of the finished election, by one warp: `pivot` of lane i is the row of pivot
/// i. Step i swaps rows i and swaps[i]. The row at place t of the top goes where pivot t was; if
/// that is in the top, too, it goes on from there: to the end of the chain t, pivot t, and so on,
/// or, at step i, to its first place from i on.
template <typename T>
__device__ void write_moves(int pivot, int width, Leaf<T>* leaf, int* swaps) {
  const int lane = threadIdx.x;
  const bool mine = lane < width;
  int end = mine ? pivot : lane;
#pragma unroll
  for (int hops = 1; hops < leaf_width; hops *= 2) {
    const int next = __shfl_sync(whole_warp, end, end < width ? end : lane);
    if (mine && end < width) end = next;
  }
  int swap = mine ? pivot : lane;
  while (__any_sync(whole_warp, swap < lane)) {
    const int next = __shfl_sync(whole_warp, pivot, swap < lane ? swap : lane);
    if (swap < lane) swap = next;
  }
  const unsigned top = __reduce_or_sync(whole_warp, mine && pivot < warp_size ? 1u << pivot : 0u);
  const bool stays = !mine || (top >> lane & 1u) != 0;  // a pivot itself
  if (mine) swaps[lane] = swap;
  leaf->moves_to[lane] = mine ? lane : -1;
  leaf->moves_from[lane] = mine ? pivot : 0;
  leaf->moves_to[leaf_width + lane] = stays ? -1 : end;
  leaf->moves_from[leaf_width + lane] = lane;
}

/// A pivot row into the leaf, and into the report where it can't be used.
template <typename T>
__device__ void write_pivot(const T (&row)[leaf_width], int step, int column, Leaf<T>* leaf,
                            PanelReport* report) {
#pragma unroll
  for (int c = 0; c < leaf_width; ++c) {
    leaf->factors[step * leaf_width + c] = row[c];
    if (c == step && (row[c] == T{} || !isfinite(row[c]))) {
      atomicMin(&report->first_bad, column + step);
    }
  }
}

}  // namespace spsolve::cuda::dense
