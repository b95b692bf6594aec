#pragma once

#include "cuda/core/launch.cuh"
#include "cuda/sparse/fronts/front_kernels.hpp"

namespace spsolve::cuda::inline sparse {

/// The sum over an element's sources by `lanes` lanes that follow each other, for the first of
/// them: each adds up every lanes-th source, and a tree adds up those. By whole warps.
template <int lanes, typename T>
__device__ T element_sum(const DeviceFronts<T>& fronts, const AssembledElement& element) {
  T sum{};
#pragma unroll 4
  for (Index k = element.begin + threadIdx.x % lanes; k < element.end; k += lanes) {
    sum += fronts.arena[__ldg(fronts.sources + k)];
  }
  __syncwarp();
  return sum_of_group<lanes>(sum);
}

}  // namespace spsolve::cuda::sparse
