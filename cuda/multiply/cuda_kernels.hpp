#pragma once

#include <span>

#include "multiply/kernel/kernel.hpp"

namespace spsolve::cuda::inline multiply {

/// The kernels of the GPU, in the order in which they are listed: the published ones as published,
/// then the vendor's libraries as peers. X and Y lie in the memory of the current GPU, and products
/// run on current_stream() (cuda/core/stream.hpp), asynchronously. The table can be read without a
/// GPU; preparing a matrix needs one.
std::span<const Kernel> cuda_kernels();

}  // namespace spsolve::cuda::multiply
