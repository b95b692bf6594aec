#pragma once

#include "cuda/core/launch.cuh"

namespace spsolve::cuda {

/// Sums over the lanes of a warp that are taken together.
inline constexpr int summed_together = 8;

/// Which of the sums a lane has in the end; its first lane of four counts.
__device__ inline int sum_of_this_lane() {
  const int lane = threadIdx.x % warp_size;
  return (lane >> 4 & 1) * 4 + (lane >> 3 & 1) * 2 + (lane >> 2 & 1);
}
__device__ inline bool has_own_sum() {
  return threadIdx.x % (warp_size / summed_together) == 0;
}

/// The sum over all lanes of sums[q] for q = sum_of_this_lane(): halves of the sums go to halves of
/// the lanes, until each has one.
template <typename T>
__device__ T sum_of_lanes(T (&sums)[summed_together]) {
  const int lane = threadIdx.x % warp_size;
#pragma unroll
  for (int half = summed_together / 2, distance = warp_size / 2; half > 0;
       half /= 2, distance /= 2) {
    const bool upper = lane & distance;
#pragma unroll
    for (int q = 0; q < half; ++q) {
      const T given = upper ? sums[q] : sums[q + half];
      const T kept = upper ? sums[q + half] : sums[q];
      sums[q] = kept + __shfl_xor_sync(whole_warp, given, distance);
    }
  }
  T sum = sums[0];
  for (int distance = warp_size / summed_together / 2; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(whole_warp, sum, distance);
  }
  return sum;
}

}  // namespace spsolve::cuda
