#pragma once

#include "sparse/sparse_memory.hpp"

namespace spsolve::cuda {

/// Sparse eliminations on the current GPU. Threshold pivoting is left to the host: what it delays
/// changes the sizes of fronts.
SparseMemory& device_sparse_memory();

}  // namespace spsolve::cuda
