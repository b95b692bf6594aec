#pragma once

#include "multiply/kernel/kernel.hpp"

namespace spsolve::bench {

/// The row of MKL's products of sparse matrices, of complex ones where KernelOptions.in_pairs.
extern const Kernel mkl_kernel;

}  // namespace spsolve::bench
