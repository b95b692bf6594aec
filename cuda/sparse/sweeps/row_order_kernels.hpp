#pragma once

#include <cuda_runtime_api.h>

#include "core/types.hpp"

namespace spsolve::cuda::inline sparse {

/// to(k, :) <- from(order[k], :), into the order of elimination; `back`: to(order[k], :) <-
/// from(k, :). Rows of `columns` values.
template <typename From, typename To>
void reorder_rows(bool back, const int* order, Index rows, int columns, const From* from,
                  Index from_stride, To* to, Index to_stride, cudaStream_t stream);

}  // namespace spsolve::cuda::sparse
