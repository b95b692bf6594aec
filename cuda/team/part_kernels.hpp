#pragma once

#include <cuda_runtime_api.h>

#include "core/types.hpp"

namespace spsolve::cuda::inline team {

/// The sum of the gathered parts of all ranks, the same bits on each: to[i] <- from[i] + from[i +
/// count] + ... + from[i + (parts - 1) count], in this order.
template <typename T>
void add_parts(const T* from, int parts, Index count, T* to, cudaStream_t stream);

}  // namespace spsolve::cuda::team
