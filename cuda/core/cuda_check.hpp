#pragma once

#include <cuda_runtime_api.h>

namespace spsolve::cuda {

/// Throws an Error that names `call`, by the function it calls, and what CUDA says of it: of exit
/// code resources, or internal where only a defect of this program explains the status (an illegal
/// address, a wrong argument).
[[noreturn]] void fail_call(cudaError_t status, const char* call);

inline void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) fail_call(status, call);
}

/// Throws likewise where the launch of the kernel `name` just before failed. Asynchronous: what
/// happens inside the kernel is seen by the next call that waits.
inline void check_launch(const char* name) {
  check(cudaGetLastError(), name);
}

}  // namespace spsolve::cuda

/// Checks the status of a call of the CUDA runtime, cuBLAS or cuSPARSE (for these two see
/// cuda/core/vendor.hpp).
#define CUDA_CHECK(call) ::spsolve::cuda::check((call), #call)
