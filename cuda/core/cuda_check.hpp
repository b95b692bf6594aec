#pragma once

#include <cuda_runtime_api.h>

namespace spsolve::cuda::inline core {

/// Throws an Error that names `call`, by the function it calls, and what CUDA says of it: of exit
/// code resources, or internal where only a defect of this program explains the status (an illegal
/// address, a wrong argument).
[[noreturn]] void fail_call(cudaError_t status, const char* call);

/// Whether what is on the GPU stays when its owners go: this process has lost its GPU - a failure
/// stuck, CUDA refuses every call from then on, and to free something might wait for ever - or
/// leave_gpu() was called.
bool gpu_is_left() noexcept;

/// Waits for the GPU, and lets all that is on it be, as the process is about to end, which frees it
/// at once: piece by piece it takes some tenths of a second.
void leave_gpu() noexcept;

/// To be called when a call of CUDA or of a library on it failed: finds out whether the GPU is
/// lost. Hands back the words to be added to a message then, or "".
const char* note_failure();

/// Notes a loss that is known.
void note_loss() noexcept;

inline void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) fail_call(status, call);
}

/// Throws likewise where the launch of the kernel `name` just before failed. Asynchronous: what
/// happens inside the kernel is seen by the next call that waits.
inline void check_launch(const char* name) {
  check(cudaGetLastError(), name);
}

}  // namespace spsolve::cuda::core

/// Checks the status of a call of the CUDA runtime, cuBLAS or cuSPARSE (for these two see
/// cuda/core/vendor.hpp).
#define CUDA_CHECK(call) ::spsolve::cuda::check((call), #call)
