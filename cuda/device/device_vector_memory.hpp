#pragma once

#include <memory>

#include "cuda/distribute/gpu_links.hpp"
#include "vectors/vector_memory.hpp"

namespace spsolve::cuda::inline device {

/// The memory of the current GPU; vectors of several ranks reach each other through host memory.
const VectorMemory& device_vector_memory();

/// The memory of the current GPU for vectors of the links' team, which reach each other by them.
std::unique_ptr<VectorMemory> linked_vector_memory(GpuLinks& links);

/// The memory of the current GPU for products of `team`, whose halo may travel by `transport`, see
/// Transports and BestExchange. Throws Error(resources) on every rank if that can't be had.
/// Collective.
std::unique_ptr<VectorMemory> product_memory(Team& team, Transport transport);

}  // namespace spsolve::cuda::device
