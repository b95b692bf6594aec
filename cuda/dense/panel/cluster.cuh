#pragma once

// Messages between the blocks of a thread block cluster (compute capability 9.0): stores into
// another block's shared memory that count their bytes at a barrier of that block. Addresses are
// those of shared memory, 32 bits.

#include <cstdint>

#include "cuda/core/tiles/bulk_copy.cuh"

namespace spsolve::cuda::inline dense {

/// This block's number in its cluster, and the number of blocks there.
__device__ inline int cluster_rank() {
  unsigned rank = 0;
#if __CUDA_ARCH__ >= 900
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
  return static_cast<int>(rank);
}
__device__ inline int cluster_size() {
  unsigned size = 1;
#if __CUDA_ARCH__ >= 900
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
#endif
  return static_cast<int>(size);
}

/// All threads of the cluster wait for each other.
__device__ inline void wait_for_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
#endif
}

/// A barrier for one expect_bytes() at a time, at which stores of any block of the cluster arrive.
__device__ inline void init_barrier(std::uint64_t* barrier) {
  core::init_barrier(barrier, 1);
  publish_barriers();
}

__device__ inline void wait_for_bytes(std::uint64_t* barrier, unsigned parity) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "{\n\t"
      ".reg .pred done;\n\t"
      "again:\n\t"
      "mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n\t"
      "@done bra.uni ready;\n\t"
      "bra.uni again;\n\t"
      "ready:\n\t"
      "}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
#endif
}

/// Where `place` of this block lies in block `block` of the cluster.
__device__ inline unsigned address_in_block(const void* place, int block) {
  unsigned there = shared_address(place);
#if __CUDA_ARCH__ >= 900
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(there)
      : "r"(shared_address(place)), "r"(block));
#endif
  return there;
}

/// 16 bytes to an address_in_block(), counted at the barrier with such an address.
__device__ inline void send_to_block(unsigned address, uint4 bytes, unsigned barrier) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, "
      "[%5];" ::"r"(address),
      "r"(bytes.x), "r"(bytes.y), "r"(bytes.z), "r"(bytes.w), "r"(barrier)
      : "memory");
#endif
}

}  // namespace spsolve::cuda::dense
