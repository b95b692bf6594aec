#include "cuda/core/cuda_check.hpp"

#include <atomic>
#include <string_view>

#include "core/error.hpp"

namespace spsolve::cuda::inline core {

namespace {

/// Whether only a defect of this program explains `status`.
bool is_defect(cudaError_t status) {
  switch (status) {
    case cudaErrorInvalidValue:
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidResourceHandle:
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchOutOfResources:
      return true;
    default:
      return false;
  }
}

/// Whether a call that asks for nothing, and fails like that, tells of a GPU that is lost: not
/// where there is none, or where work is on its way.
bool sticks(cudaError_t status) {
  switch (status) {
    case cudaSuccess:
    case cudaErrorNotReady:
    case cudaErrorMemoryAllocation:
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorInitializationError:
      return false;
    default:
      return true;
  }
}

std::atomic<bool> lost{false}, left{false};

}  // namespace

bool gpu_is_left() noexcept {
  return lost || left;
}

void leave_gpu() noexcept {
  if (cudaDeviceSynchronize() == cudaSuccess) left = true;
}

void note_loss() noexcept {
  lost = true;
}

const char* note_failure() {
  cudaGetLastError();  // so that an error that does not stick is not reported twice
  if (sticks(cudaStreamQuery(nullptr))) note_loss();
  cudaGetLastError();
  return lost ? "; this process has lost its GPU: nvidia-smi and the host's log (Xid) may say why"
              : "";
}

void fail_call(cudaError_t status, const char* call) {
  const char* const more = note_failure();
  const std::string_view text(call);
  fail(is_defect(status) ? ExitCode::internal : ExitCode::resources,
       "{} failed on the GPU: {} ({}){}", text.substr(0, text.find('(')),
       cudaGetErrorString(status), cudaGetErrorName(status), more);
}

}  // namespace spsolve::cuda::core
