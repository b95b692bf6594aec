#pragma once

#include <cuda_runtime_api.h>

namespace spsolve::cuda::inline core {

/// Where a failure of the GPU is injected (process/fault.hpp): before this rank waits for `stream`.
/// Empty unless compiled with SPSOLVE_FAULTS.
void inject_gpu_fault(cudaStream_t stream);

}  // namespace spsolve::cuda::core
