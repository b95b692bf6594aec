#pragma once

// The common parts of kernels: places in the grid, sizes of grids, sums within a warp, the thread
// block that is last done. All sizes are 64 bits wide; grids are as large as the work, up to what
// CUDA takes, and every kernel strides over what is beyond.

#include <algorithm>

#include <cuda_runtime.h>

#include "core/types.hpp"
#include "cuda/core/cuda_check.hpp"
#include "cuda/core/stream.hpp"

namespace spsolve::cuda::inline core {

inline constexpr int warp_size = 32;
inline constexpr unsigned whole_warp = 0xffffffffu;

/// Blocks of a one-dimensional grid for `count` pieces of work, `per_block` to a block. At least 1.
inline unsigned grid_for(Index count, Index per_block) {
  constexpr Index largest_grid = 2147483647;
  return static_cast<unsigned>(
      std::clamp<Index>((count + per_block - 1) / per_block, 1, largest_grid));
}

/// The blocks of a kernel, `count` at most, that the current GPU has room for at the same time.
template <typename Kernel>
unsigned blocks_at_once(Kernel kernel, int threads, Index count) {
  int device = 0, processors = 0, resident = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, 0));
  return static_cast<unsigned>(std::min<Index>(count, Index{processors} * resident));
}

/// This thread's place in the grid, and the number of threads of the grid.
__device__ inline Index thread_index() {
  return static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline Index thread_count() {
  return static_cast<Index>(gridDim.x) * blockDim.x;
}

/// The sum over groups of `width` neighbouring lanes, a power of two, for the first lane of each.
/// All lanes of the warp must call it.
template <int width, typename T>
__device__ T sum_of_group(T value) {
#pragma unroll
  for (int distance = width / 2; distance > 0; distance /= 2) {
    value += __shfl_down_sync(whole_warp, value, distance, width);
  }
  return value;
}

/// Whether this thread block is the last of `count` that come here with `ticket`, which is 0 before
/// and after. All that they wrote to global memory before is there then, for loads that pass by the
/// multiprocessor's own cache (__ldcg). All threads of the block must call it.
__device__ inline bool is_last_block(unsigned* ticket, unsigned count) {
  __shared__ bool is_last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicInc(ticket, count - 1) == count - 1;
    __threadfence();
  }
  __syncthreads();
  return is_last;
}

}  // namespace spsolve::cuda::core
