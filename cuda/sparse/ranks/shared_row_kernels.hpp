#pragma once

#include <cuda_runtime_api.h>

#include "core/types.hpp"

namespace spsolve::cuda::inline sparse {

/// Rows of shared fronts in a rank's forward sweep, and which rows of its borders' contributions
/// are added to each; all arrays in GPU memory.
template <typename T>
struct SharedRows {
  const Index* starts;    ///< of each shared row, and after the last one
  const unsigned* taken;  ///< rows of contribution
  const T* b;             ///< of the first shared row
  const T* contribution;
  int columns;
};

/// to(i, :) <- b(first + i, :) and what is added to it, for so many rows.
template <typename T>
void gather_shared_rows(const SharedRows<T>& rows, Index first, Index count, T* to,
                        cudaStream_t stream);

}  // namespace spsolve::cuda::sparse
