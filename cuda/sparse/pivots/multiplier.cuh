#pragma once

#include "cuda/core/launch.cuh"

namespace spsolve::cuda::inline sparse {

/// Counts the largest multiplier of a warp's lanes, all of which call it, in `largest`, bits of a
/// double.
template <typename T>
__device__ void count_multiplier(T most, unsigned long long* largest) {
  for (int distance = warp_size / 2; distance > 0; distance /= 2) {
    most = fmax(most, __shfl_xor_sync(whole_warp, most, distance));
  }
  const auto bits =
      static_cast<unsigned long long>(__double_as_longlong(static_cast<double>(most)));
  if (threadIdx.x % warp_size == 0 && bits > *largest) atomicMax(largest, bits);
}

}  // namespace spsolve::cuda::sparse
