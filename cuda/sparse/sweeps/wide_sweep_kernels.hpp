#pragma once

#include "cuda/sparse/sweeps/sweep_kernels.hpp"

namespace spsolve::cuda::inline sparse {

/// sweep_forward() or sweep_backward() with five columns or more, in double: products with tiles of
/// the factors by tensor cores (m8n8k4). Reads the factors once for most_sweep_columns columns.
void sweep_wide(bool forward, const Sweep<double>& sweep, const SweepTask* tasks, Index count,
                cudaStream_t stream);

}  // namespace spsolve::cuda::sparse
