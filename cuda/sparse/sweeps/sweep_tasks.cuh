#pragma once

// Sweeps by tasks: what their kernels share, however they multiply with the tiles of factors.

#include "cuda/sparse/sweeps/published.cuh"
#include "cuda/sparse/sweeps/sweep_kernels.hpp"

namespace spsolve::cuda {

/// Threads of a block that sweeps, and rows of a tile.
inline constexpr int sweep_threads = 256;
inline constexpr int sweep_side = pivot_block;
inline constexpr int sweep_warps = sweep_threads / warp_size;

/// The front's factors for a sweep.
template <typename T>
struct SweepFront {
  FrontPlace place;
  const T* lower;
  const T* upper;

  __device__ SweepFront(const Sweep<T>& sweep, int front)
      : place(sweep.places[front]),
        lower(sweep.factors + (sweep.transposed ? place.upper : place.lower)),
        upper(sweep.factors + (sweep.transposed ? place.lower : place.upper)) {
    if (sweep.without_borders) place.border = 0;
  }

  __device__ bool is_pivots(int tile) const { return tile < place.blocks(); }
  /// Its first row among the pivots, or among the border.
  __device__ int first_row(int tile) const {
    return is_pivots(tile) ? tile * sweep_side : (tile - place.blocks()) * sweep_side;
  }
  __device__ int rows(int tile) const {
    return min(sweep_side, (is_pivots(tile) ? place.pivots : place.border) - first_row(tile));
  }
};

/// to <- the rows of x that row_of(r) names, `most` columns at most, as soon as they are there;
/// zeros beyond.
template <int most, typename T, int stride, typename RowOf>
__device__ void fetch(const Sweep<T>& sweep, int rows, const RowOf& row_of,
                      T (&to)[sweep_side][stride]) {
  const int columns = sweep.columns;
  for (int i = threadIdx.x; i < sweep_side * most; i += sweep_threads) {
    const int r = i / most, c = i % most;
    to[r][c] = r < rows && c < columns ? published(sweep.x + row_of(r) * Index{columns} + c) : T(0);
  }
}

/// to <- what the sweep begins with in these rows: b for pivots, and what children hand up.
template <int most, typename T, int stride>
__device__ void begin_tile(const Sweep<T>& sweep, const SweepFront<T>& front, int tile,
                           T (&to)[sweep_side][stride]) {
  const int columns = sweep.columns, rows = front.rows(tile), first = front.first_row(tile);
  const bool pivots = front.is_pivots(tile);
  const Index row = front.place.first_row() + first + (pivots ? 0 : front.place.pivots);
  for (int i = threadIdx.x; i < sweep_side * most; i += sweep_threads) {
    const int r = i / most, c = i % most;
    T sum = 0;
    if (r < rows && c < columns) {
      if (pivots) sum = sweep.b[(front.place.first + first + r) * Index{columns} + c];
      for (unsigned e = sweep.taken_starts[row + r]; e < sweep.taken_starts[row + r + 1]; ++e) {
        sum += published(sweep.passed_up + sweep.taken[e] * Index{columns} + c);
      }
    }
    to[r][c] = sum;
  }
}

/// Takes tasks in turn; `Space` is what a thread block works with, for which forward_tile() and
/// backward_block() are there.
template <bool forward, typename T, typename Space>
__global__ void __launch_bounds__(sweep_threads, Space::blocks_a_processor)
    sweep_kernel(Sweep<T> sweep, const SweepTask* tasks, int count) {
  __shared__ Space space;
  __shared__ int number;
  while (true) {
    __syncthreads();
    if (threadIdx.x == 0) number = atomicAdd(sweep.next, 1);
    __syncthreads();
    if (number >= count) return;
    const SweepTask task = tasks[number];
    const SweepFront<T> front(sweep, task.front);
    if constexpr (forward) {
      for (int tile = task.begin; tile < task.end; ++tile) {
        forward_tile(sweep, front, tile, space);
        __syncthreads();
      }
    } else {
      for (int block = task.end - 1; block >= task.begin; --block) {
        backward_block(sweep, front, block, space);
        __syncthreads();
      }
    }
  }
}

template <bool forward, typename Space, typename T>
void launch_sweep(const Sweep<T>& sweep, const SweepTask* tasks, Index count, cudaStream_t stream) {
  const auto kernel = sweep_kernel<forward, T, Space>;
  kernel<<<blocks_at_once(kernel, sweep_threads, count), sweep_threads, 0, stream>>>(
      sweep, tasks, static_cast<int>(count));
  check_launch("sweep");
}

}  // namespace spsolve::cuda
