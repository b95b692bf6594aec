#pragma once

#include "cuda/core/launch.cuh"

namespace spsolve::cuda::inline core {

/// The first of `count` ascending numbers that is `least` or more; `count` where there is none.
template <typename T, typename Count>
__device__ Count first_from(const T* ascending, Count count, T least) {
  Count begin = 0;
  while (count > 0) {
    const Count half = count / 2;
    if (ascending[begin + half] < least) {
      begin += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return begin;
}

/// first_from() for several numbers at once, each in a list of its own, by all lanes of a warp:
/// each step looks at 32 numbers of every list, so that ten thousand of them take three waits for
/// memory in the place of fourteen.
template <int several, typename T>
__device__ void first_from_by_warp(const T* const (&lists)[several], const int (&counts)[several],
                                   const T (&least)[several], int (&found)[several]) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  int width = 0;  // what is sought is at one of found ... found + width
#pragma unroll
  for (int q = 0; q < several; ++q) {
    found[q] = 0;
    width = max(width, counts[q]);
  }
  while (width > 0) {
    const int step = (width + warp_size - 1) / warp_size;
    T seen[several];
    bool is_there[several];
#pragma unroll
    for (int q = 0; q < several; ++q) {
      const int place = found[q] + (lane + 1) * step - 1;
      is_there[q] = place < counts[q];
      seen[q] = is_there[q] ? __ldg(lists[q] + place) : T{};
    }
#pragma unroll
    for (int q = 0; q < several; ++q) {
      const unsigned below = __ballot_sync(whole_warp, is_there[q] && seen[q] < least[q]);
      found[q] += __popc(below) * step;
    }
    width = step - 1;
  }
#pragma unroll
  for (int q = 0; q < several; ++q) found[q] = min(found[q], counts[q]);
}

}  // namespace spsolve::cuda::core
