#include "cuda/core/gpu_fault.hpp"

#ifdef SPSOLVE_FAULTS

#include "cuda/core/cuda_check.hpp"
#include "process/fault.hpp"

namespace spsolve::cuda::inline core {

namespace {

__global__ void trap_kernel() {
  asm volatile("trap;");
}

__global__ void hang_kernel() {
  for (;;) __nanosleep(1000);
}

}  // namespace

void inject_gpu_fault(cudaStream_t stream) {
  switch (gpu_fault()) {
    case GpuFault::none:
      return;
    case GpuFault::gone:
      note_loss();
      fail_call(cudaErrorUnknown, "cudaStreamSynchronize()");
    case GpuFault::trap:
      trap_kernel<<<1, 1, 0, stream>>>();
      return;
    case GpuFault::hang:
      hang_kernel<<<1, 1, 0, stream>>>();
      return;
  }
}

}  // namespace spsolve::cuda::core

#else

namespace spsolve::cuda::inline core {

void inject_gpu_fault(cudaStream_t) {}

}  // namespace spsolve::cuda::core

#endif
