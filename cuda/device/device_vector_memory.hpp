#pragma once

#include <memory>

#include "cuda/distribute/gpu_links.hpp"
#include "vectors/vector_memory.hpp"

namespace spsolve::cuda::inline device {

/// The memory of the current GPU; vectors of several ranks reach each other through host memory.
const VectorMemory& device_vector_memory();

/// The memory of the current GPU for vectors of the links' team, which reach each other by them.
std::unique_ptr<VectorMemory> linked_vector_memory(GpuLinks& links);

}  // namespace spsolve::cuda::device
