#pragma once

#include <memory>

#include "cuda/core/stream.hpp"

namespace spsolve::cuda::inline dense {

/// A stream, in order with nothing but itself, whose kernels leave `processors` of the GPU's
/// multiprocessors to those of other streams, near enough together for one thread block cluster;
/// null where driver or GPU don't offer that (green contexts, CUDA 12.5 or newer), or where the GPU
/// has not four times as many.
std::unique_ptr<Stream> make_narrow_stream(int processors);

}  // namespace spsolve::cuda::dense
