#pragma once

// What the kernels of a panel share: rows of a leaf between memory and registers, and what an
// election leaves behind.

#include "cuda/eliminate/magnitude.cuh"
#include "cuda/eliminate/panel_kernels.hpp"
#include "cuda/multiply/launch.cuh"

namespace spsolve::cuda {

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

template <typename T>
struct alignas(16) WarpOffer {
  T row[leaf_width];
  T inverse;
  T unused;
};

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

/// The way back, for the rows [first, first + 32) that are below `rows`.
template <typename T>
__device__ void store_rows(T* a, Index stride, Index first, Index rows, int width, T* tile,
                           const T (&row)[leaf_width]) {
  const int lane = threadIdx.x % warp_size;
#pragma unroll
  for (int c = 0; c < leaf_width; ++c) tile[lane * tile_stride + c] = row[c];
  __syncwarp();
#pragma unroll
  for (int r = 0; r < warp_size; ++r) {
    if (first + r < rows && lane < width) {
      a[(first + r) * stride + lane] = tile[r * tile_stride + lane];
    }
  }
  __syncwarp();
}

/// Writes what one warp knows of the finished election: `pivot` of lane i is the row of pivot i.
template <typename T>
__device__ void write_moves(int pivot, int width, Leaf<T>* leaf, int* swaps) {
  const int lane = threadIdx.x;
  const int original = pivot;
  int content = lane;      // the row that stands at place `lane` of the top
  int to = -1, from = -1;  // the place that step `lane` emptied, and the row that went there
  int swap = -1;
  for (int i = 0; i < width; ++i) {
    const int place = __shfl_sync(whole_warp, pivot, i);
    const int displaced = __shfl_sync(whole_warp, content, i);
    if (lane == i) swap = place;
    if (place >= width) {
      if (to == place) to = -1;
      if (lane == i) {
        to = place;
        from = displaced;
      }
    } else if (lane == place) {
      content = displaced;
    }
    if (lane > i && pivot == i) pivot = place;
  }
  const bool mine = lane < width;
  if (mine) swaps[lane] = swap;
  leaf->moves_to[lane] = mine ? lane : -1;
  leaf->moves_from[lane] = mine ? original : 0;
  leaf->moves_to[leaf_width + lane] = mine ? to : -1;
  leaf->moves_from[leaf_width + lane] = from < 0 ? 0 : from;
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

}  // namespace spsolve::cuda
