#include <cuda/atomic>

#include "cuda/core/launch.cuh"
#include "cuda/team/flag_kernels.hpp"

namespace spsolve::cuda::inline team {

namespace {

using Flag = ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_system>;

__global__ void raise(unsigned* const* flags, int count, unsigned value) {
  for (int i = threadIdx.x; i < count; i += warp_size) {
    Flag(*flags[i]).store(value, ::cuda::memory_order_release);
  }
}

__global__ void wait(unsigned* const* flags, int count, unsigned value) {
  for (int i = threadIdx.x; i < count; i += warp_size) {
    const Flag flag(*flags[i]);
    while (static_cast<int>(flag.load(::cuda::memory_order_acquire) - value) < 0) __nanosleep(100);
  }
}

}  // namespace

void raise_flags(unsigned* const* flags, int count, unsigned value, cudaStream_t stream) {
  if (count == 0) return;
  raise<<<1, warp_size, 0, stream>>>(flags, count, value);
  check_launch("raise_flags");
}

void wait_for_flags(unsigned* const* flags, int count, unsigned value, cudaStream_t stream) {
  if (count == 0) return;
  wait<<<1, warp_size, 0, stream>>>(flags, count, value);
  check_launch("wait_for_flags");
}

}  // namespace spsolve::cuda::team
