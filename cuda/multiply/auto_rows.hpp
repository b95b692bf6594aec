#pragma once

#include <memory>

#include "matrix/csr.hpp"
#include "multiply/kernel.hpp"

namespace spsolve::cuda {

/// The quicker of sliced_rows and csr_lanes for each K; both are kept on the GPU. sliced_rows for
/// K <= 4, csr_lanes for K >= 16. Between, the first product of each K with a large matrix runs
/// both, timed by events, and waits for them; for a small one csr_lanes is taken. detail() names
/// the choices met so far.
template <typename T>
std::unique_ptr<Product<T>> prepare_auto_rows(const Csr<T>& matrix, const KernelOptions& options);

}  // namespace spsolve::cuda
