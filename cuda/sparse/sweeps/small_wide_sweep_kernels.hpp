#pragma once

#include "cuda/sparse/sweeps/sweep_kernels.hpp"

namespace spsolve::cuda {

/// sweep_small_forward() or sweep_small_backward() for several columns: a lane has a column, and
/// every so many rows, so that what one row hands to another is one line of memory.
template <typename T>
void sweep_small_wide(bool forward, const Sweep<T>& sweep, const int* list, Index count,
                      cudaStream_t stream);

}  // namespace spsolve::cuda
