#pragma once

namespace spsolve::cuda {

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

}  // namespace spsolve::cuda
