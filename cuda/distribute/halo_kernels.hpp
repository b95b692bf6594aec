#pragma once

#include <cuda_runtime_api.h>

#include "core/types.hpp"

namespace spsolve::cuda::inline distribute {

// Rows of multivectors by list, K elements wide and contiguous. A thread up to 16 bytes, so that
// narrow rows fill warps too.

/// packed(i, :) = x(list[i], :) for i < count.
template <typename T>
void pack_rows(const T* x, const LocalIndex* list, Index count, Index columns, T* packed,
               cudaStream_t stream);

/// y(list[i], :) += sums(i, :) for i < count; no row twice in the list.
template <typename T>
void add_rows(const T* sums, const LocalIndex* list, Index count, Index columns, T* y,
              cudaStream_t stream);

}  // namespace spsolve::cuda::distribute
