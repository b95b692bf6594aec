#include "cuda/core/cuda_check.hpp"

#include <string_view>

#include "core/error.hpp"

namespace spsolve::cuda {

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

}  // namespace

void fail_call(cudaError_t status, const char* call) {
  cudaGetLastError();  // so that an error that does not stick is not reported twice
  const std::string_view text(call);
  fail(is_defect(status) ? ExitCode::internal : ExitCode::resources,
       "{} failed on the GPU: {} ({})", text.substr(0, text.find('(')), cudaGetErrorString(status),
       cudaGetErrorName(status));
}

}  // namespace spsolve::cuda
