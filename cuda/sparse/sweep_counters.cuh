#pragma once

// Counters by which the thread blocks and warps of one launch wait for one another.

#include <cuda/atomic>

#include "cuda/core/launch.cuh"

namespace spsolve::cuda {

using Counter = ::cuda::atomic_ref<int, ::cuda::thread_scope_device>;

/// By one thread: waits until the counter has come to `least`. What was written before it was
/// raised is seen then, by loads that pass the L1 cache by.
__device__ inline void wait_alone(int* counter, int least) {
  while (Counter(*counter).load(::cuda::memory_order_acquire) < least) __nanosleep(20);
}

/// By a thread block, and by a warp.
__device__ inline void wait_until(int* counter, int least) {
  if (threadIdx.x == 0) wait_alone(counter, least);
  __syncthreads();
}
__device__ inline void wait_in_warp(int* counter, int least) {
  if (threadIdx.x % warp_size == 0) wait_alone(counter, least);
  __syncwarp();
}

/// Raises the counter when all threads of the block, or of the warp, have written what it stands
/// for.
__device__ inline void raise(int* counter) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) Counter(*counter).fetch_add(1, ::cuda::memory_order_release);
}
__device__ inline void raise_in_warp(int* counter) {
  __threadfence();
  __syncwarp();
  if (threadIdx.x % warp_size == 0) Counter(*counter).fetch_add(1, ::cuda::memory_order_release);
}

}  // namespace spsolve::cuda
