#pragma once

#include <memory>

#include "vectors/products/kernel_rows.hpp"

namespace spsolve::cuda::inline vectors {

/// The product of rows that kernels of GPUs were prepared for by now, on this rank's GPU. One
/// stream multiplies the interior part and adds the boundary's sums to Y; another, which goes
/// first, packs, exchanges and multiplies the halo meanwhile. The host waits for nothing but what
/// the transport makes it wait for. Times are those of the GPU's clock.
template <typename T>
std::unique_ptr<LocalProduct<T>> device_kernel_rows(KernelParts<T>&& parts);

}  // namespace spsolve::cuda::vectors
