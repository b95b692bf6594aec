#pragma once

#include <cuda_runtime_api.h>

namespace spsolve::cuda::inline core {

/// Sets `function` to that of the driver of this name, as of the version 1000 major + 10 minor of
/// CUDA; false where there is none. Found at run time: the program starts without a driver.
template <typename Function>
bool find_driver_function(const char* name, unsigned version, Function*& function) {
#if CUDART_VERSION >= 12050
  void* address = nullptr;
  cudaDriverEntryPointQueryResult found{};
  if (cudaGetDriverEntryPointByVersion(name, &address, version, cudaEnableDefault, &found) ==
          cudaSuccess &&
      found == cudaDriverEntryPointSuccess) {
    function = reinterpret_cast<Function*>(address);
    return true;
  }
  cudaGetLastError();
#else
  static_cast<void>(name), static_cast<void>(version), static_cast<void>(function);
#endif
  return false;
}

}  // namespace spsolve::cuda::core
