#pragma once

// Copies of boxes of a matrix from global into shared memory by a TMA unit (compute capability
// 9.0), and the barriers in shared memory that they arrive at.

#include <cstdint>

#include <cuda.h>

#include "cuda/core/tiles/async_copy.cuh"

namespace spsolve::cuda::inline core {

/// A barrier that opens when `arrivals` arrived and all bytes came that some of them expected. It
/// may be used again and again: wait k, counted from 0, has parity k mod 2. Others see it after
/// publish_barriers() and a wait for each other.
__device__ inline void init_barrier(std::uint64_t* barrier, int arrivals) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
#endif
}
__device__ inline void publish_barriers() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

/// One arrival; with expect_bytes(), one that as many bytes are to follow.
__device__ inline void arrive(std::uint64_t* barrier) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
#endif
}
__device__ inline void expect_bytes(std::uint64_t* barrier, unsigned bytes) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
#endif
}

/// Waits for what this block's threads and copies bring to a barrier.
__device__ inline void wait_at(std::uint64_t* barrier, unsigned parity) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "{\n\t"
      ".reg .pred done;\n\t"
      "again:\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
      "@done bra.uni ready;\n\t"
      "bra.uni again;\n\t"
      "ready:\n\t"
      "}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
#endif
}

/// Starts to copy a box of a map_of_lines(), at this column and row.
__device__ inline void copy_box(unsigned to, const CUtensorMap* map, int column, int row,
                                std::uint64_t* barrier) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3}], [%4];" ::"r"(to),
      "l"(map), "r"(column), "r"(row), "r"(shared_address(barrier))
      : "memory");
#endif
}

/// Starts to copy a box of a map_of_columns(), at this row and line.
__device__ inline void copy_lines(unsigned to, const CUtensorMap* map, int row, int line,
                                  std::uint64_t* barrier) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {0, "
      "%2, %3}], [%4];" ::"r"(to),
      "l"(map), "r"(row), "r"(line), "r"(shared_address(barrier))
      : "memory");
#endif
}

}  // namespace spsolve::cuda::core
