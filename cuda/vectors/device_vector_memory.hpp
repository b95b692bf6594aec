#pragma once

#include "vectors/vector_memory.hpp"

namespace spsolve::cuda {

/// The memory of the current GPU.
const VectorMemory& device_vector_memory();

}  // namespace spsolve::cuda
