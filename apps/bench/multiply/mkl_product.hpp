#pragma once

#include <memory>
#include <string>

#include "multiply/kernel/kernel.hpp"

namespace spsolve::bench {

/// The row of MKL's products of sparse matrices.
extern const Kernel mkl_kernel;

/// Its product with a matrix, of a real form (`parts` = 2) with the complex one, whose X and Y have
/// rows of K complex numbers: 2 K columns.
template <typename T>
std::unique_ptr<KernelProduct<T>> mkl_product(const Csr<T>& matrix, Index parts,
                                              const KernelOptions& options);

}  // namespace spsolve::bench
