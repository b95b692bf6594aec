#pragma once

// Several sums over the lanes of a warp that are taken together: `count` of them, a power of two.

#include "cuda/core/launch.cuh"

namespace spsolve::cuda::inline core {

/// Which of the sums a lane has in the end, and whether it is the first lane that has it.
template <int count>
__device__ int sum_of_this_lane() {
  return static_cast<int>(threadIdx.x) % warp_size / (warp_size / count);
}
template <int count>
__device__ bool has_own_sum() {
  return threadIdx.x % (warp_size / count) == 0;
}

/// Halves of the first `count` sums go to halves of groups of 2 * distance lanes, until each lane
/// has one. A template for each step, as the compiler keeps `sums` in memory where it must unroll
/// the loop over steps.
template <int count, int distance, int all, typename T>
__device__ void deal_out_sums(T (&sums)[all]) {
  if constexpr (count > 1) {
    constexpr int half = count / 2;
    const bool upper = static_cast<int>(threadIdx.x) & distance;
#pragma unroll
    for (int q = 0; q < half; ++q) {
      const T given = upper ? sums[q] : sums[q + half];
      const T kept = upper ? sums[q + half] : sums[q];
      sums[q] = kept + __shfl_xor_sync(whole_warp, given, distance);
    }
    deal_out_sums<half, distance / 2>(sums);
  }
}

/// The sum over all lanes of sums[q] for q = sum_of_this_lane<count>(). Cost: count - 1 exchanges,
/// and those of one sum's tree.
template <int count, typename T>
__device__ T sum_of_lanes(T (&sums)[count]) {
  deal_out_sums<count, warp_size / 2>(sums);
  T sum = sums[0];
#pragma unroll
  for (int distance = warp_size / count / 2; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(whole_warp, sum, distance);
  }
  return sum;
}

}  // namespace spsolve::cuda::core
