#pragma once

#include <memory>

#include "multiply/kernel/kernel.hpp"

namespace spsolve::cuda::inline multiply {

/// Y = A X by cuBLAS's gemm over the dense form of A, a peer of the project's own kernels.
template <typename T>
std::unique_ptr<KernelProduct<T>> cublas_gemm(const Csr<T>& matrix, const KernelOptions& options);

}  // namespace spsolve::cuda::multiply
