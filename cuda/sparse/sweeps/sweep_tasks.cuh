#pragma once

// Sweeps by tasks: what their kernels share, however they multiply with the tiles of factors.

#include "cuda/sparse/sweeps/contribution_sums.cuh"
#include "cuda/sparse/sweeps/sweep_kernels.hpp"

namespace spsolve::cuda::inline sparse {

/// Threads of a block that sweeps, and rows of a tile.
inline constexpr int sweep_threads = 256;
inline constexpr int sweep_side = pivot_block;
inline constexpr int sweep_warps = sweep_threads / warp_size;

/// The front's factors for a sweep.
template <typename T>
struct SweepFront {
  FrontLayout layout;
  const T* lower;
  const T* upper;

  __device__ SweepFront(const Sweep<T>& sweep, int front)
      : layout(sweep.layouts[front]),
        lower(sweep.factors + (sweep.transposed ? layout.upper : layout.lower)),
        upper(sweep.factors + (sweep.transposed ? layout.lower : layout.upper)) {
    if (sweep.without_borders) layout.border = 0;
  }

  __device__ bool is_pivots(int tile) const { return tile < layout.blocks(); }
  /// Its first row among the pivots, or among the border.
  __device__ int first_row(int tile) const {
    return is_pivots(tile) ? tile * sweep_side : (tile - layout.blocks()) * sweep_side;
  }
  __device__ int rows(int tile) const {
    return min(sweep_side, (is_pivots(tile) ? layout.pivots : layout.border) - first_row(tile));
  }
};

/// to <- the rows of x that row_of(r) names, `most` columns at most, as soon as they are there;
/// zeros beyond.
template <int most, typename T, int stride, typename RowOf>
__device__ void fetch(const Sweep<T>& sweep, int rows, const RowOf& row_of,
                      T (&to)[sweep_side][stride]) {
  constexpr int all = sweep_side * most,
                values_of_thread = (all + sweep_threads - 1) / sweep_threads;
  const int columns = sweep.columns, thread = static_cast<int>(threadIdx.x);
  T* places[values_of_thread];
  T values[values_of_thread];
#pragma unroll
  for (int k = 0; k < values_of_thread; ++k) {
    const int i = thread + k * sweep_threads, r = i / most, c = i % most;
    places[k] = r < rows && c < columns ? sweep.x + row_of(r) * Index{columns} + c : nullptr;
  }
  take_published(places, values);
#pragma unroll
  for (int k = 0; k < values_of_thread; ++k) {
    const int i = thread + k * sweep_threads;
    if (i < all) to[i / most][i % most] = values[k];
  }
}

/// The shared memory in which the values that tiles get from children are summed.
template <typename T>
using TileSums = ContributionSumSpace<T, sweep_threads, sweep_side>;

/// to <- what the sweep begins with in these rows: b for pivots, and what children hand up.
template <int most, typename T, int stride>
__device__ void begin_tile(const Sweep<T>& sweep, const SweepFront<T>& front, int tile,
                           TileSums<T>& contribution_sums, T (&to)[sweep_side][stride]) {
  const int columns = sweep.columns, rows = front.rows(tile), first = front.first_row(tile);
  const int thread = static_cast<int>(threadIdx.x), column = thread % most;
  const bool pivots = front.is_pivots(tile);
  load_starts(sweep, front.layout.first_row() + first + (pivots ? 0 : front.layout.pivots), rows,
              thread, contribution_sums);
#pragma unroll 4
  for (int i = thread; i < sweep_side * most; i += sweep_threads) {
    const int r = i / most;
    const bool is_any = pivots && r < rows && column < columns;
    to[r][column] =
        is_any ? __ldg(sweep.b + (front.layout.first + first + r) * Index{columns} + column) : T(0);
  }
  __syncthreads();
  add_contributions<most>(
      sweep, rows, thread, column, contribution_sums, [&](int r) -> T& { return to[r][column]; },
      [] { __syncthreads(); });
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

}  // namespace spsolve::cuda::sparse
