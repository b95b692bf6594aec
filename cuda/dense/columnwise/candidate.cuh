#pragma once

// Pivot candidates inside kernels: which of two is better, and the best of a warp or a block.

#include "cuda/core/launch.cuh"
#include "cuda/dense/columnwise/column_kernels.hpp"

namespace spsolve::cuda::inline dense {

/// The larger magnitude; among equals the lower row, then the lower column.
__device__ inline bool better(const Candidate& a, const Candidate& b) {
  if (a.key != b.key) return a.key > b.key;
  return a.row != b.row ? a.row < b.row : a.column < b.column;
}

/// A candidate that other blocks of this launch wrote.
__device__ inline Candidate load_fresh(const Candidate* there) {
  return {__ldcg(&there->key), __ldcg(&there->row), __ldcg(&there->column)};
}

/// The best of the warp, in its first lane.
__device__ inline Candidate best_of_warp(Candidate mine) {
#pragma unroll
  for (int distance = warp_size / 2; distance > 0; distance /= 2) {
    const Candidate other{__shfl_down_sync(whole_warp, mine.key, distance),
                          __shfl_down_sync(whole_warp, mine.row, distance),
                          __shfl_down_sync(whole_warp, mine.column, distance)};
    if (better(other, mine)) mine = other;
  }
  return mine;
}

/// The best of a block of `threads` threads, in its first one. All of them must call it.
template <int threads>
__device__ Candidate best_of_block(Candidate mine) {
  constexpr int warps = threads / warp_size;
  __shared__ Candidate winners[warps];
  mine = best_of_warp(mine);
  if (threadIdx.x % warp_size == 0) winners[threadIdx.x / warp_size] = mine;
  __syncthreads();
  if (threadIdx.x < warp_size) {
    mine = threadIdx.x < warps ? winners[threadIdx.x] : Candidate{0, 0, 0};
    mine = best_of_warp(mine);
  }
  __syncthreads();
  return mine;
}

}  // namespace spsolve::cuda::dense
