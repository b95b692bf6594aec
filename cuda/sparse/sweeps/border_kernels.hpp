#pragma once

#include "cuda/sparse/sweeps/sweep_kernels.hpp"

namespace spsolve::cuda::inline sparse {

/// y <- y - U12 x in the rows of the pivots of front `front`, which lies at `layout`, for an x that
/// is there in all rows of its border before the launch: pieces of the border side by side, in a
/// fixed order. `parts`: room for elements_of_border_parts() values. Cost: reads U12 once.
template <typename T>
void subtract_border(const Sweep<T>& sweep, int front, const FrontLayout& layout, T* parts, T* y,
                     cudaStream_t stream);

/// Values for each column of x that subtract_border() works in.
constexpr Index elements_of_border_parts(const FrontLayout& layout) {
  return pieces_of_border(layout.border) * layout.pivots;
}

}  // namespace spsolve::cuda::sparse
