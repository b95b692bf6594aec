#pragma once

// Copies from global into shared memory that pass by registers and that a thread need not wait for.

#include <cuda_runtime.h>

namespace spsolve::cuda::inline core {

/// An address in shared memory, 32 bits.
__device__ inline unsigned shared_address(const void* place) {
  return static_cast<unsigned>(__cvta_generic_to_shared(place));
}

/// Begins to copy 16 bytes.
__device__ inline void copy_async(unsigned to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

/// Begins to copy 16 bytes of which the first `bytes` are there, and the others become zeros.
__device__ inline void copy_async(unsigned to, const void* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes)
               : "memory");
}

/// Ends a group of copies of this thread.
__device__ inline void commit_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

/// Waits until at most `pending` groups of this thread are under way.
template <int pending>
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

}  // namespace spsolve::cuda::core
