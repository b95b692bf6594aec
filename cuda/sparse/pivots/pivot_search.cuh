#pragma once

// How a warp finds the pivot of a column whose rows its lanes keep in registers.

#include "cuda/core/magnitude.cuh"
#include "cuda/sparse/pivots/pivot_block.cuh"
#include "sparse/layout/device_layout.hpp"

namespace spsolve::cuda::inline sparse {

/// A key above 0 of an entry in a row below 64. The largest one is of the first of those rows whose
/// magnitudes differ from the largest by less than 2^-14 of it, and names the row: one reduction
/// finds both.
template <typename T>
__device__ unsigned pivot_key(T value, int row) {
  static_assert(pivot_block == 64);
  constexpr unsigned of_row = 2 * pivot_block - 1;
  return (magnitude_word(value) << 1 & ~of_row) | (of_row - static_cast<unsigned>(row));
}
__device__ inline int row_of_key(unsigned key) {
  return pivot_block - 1 - static_cast<int>(key % pivot_block);
}

/// Which keys are of usual pivots: not below the least one, and their inverses far from the ends of
/// T's range.
template <typename T>
class UsualPivots {
 public:
  /// None where `least` is as large as what has no usual inverse, or infinite.
  __device__ explicit UsualPivots(T least)
      : first_(pivot_key(fmax(least, least_inverted), 0) + 2 * pivot_block) {
    const unsigned end = pivot_key(1 / least_inverted, 0);
    count_ = end > first_ ? end - first_ : 0;
  }

  __device__ bool has(unsigned key) const { return key - first_ < count_; }

 private:
  static constexpr T least_inverted = sizeof(T) == 8 ? T(1e-290) : T(1e-30F);

  unsigned first_, count_;
};

/// 1 / value where it is a usual pivot, else anything: by Newton's iteration from an approximation,
/// without the branches of a division. Lanes do it while they search, as one of them has the pivot.
__device__ inline double inverse_if_usual(double value) {
  double inverse;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(value));
#pragma unroll
  for (int step = 0; step < 2; ++step) inverse = fma(inverse, fma(-value, inverse, 1.0), inverse);
  return inverse;
}
__device__ inline float inverse_if_usual(float value) {
  return __frcp_rn(value);
}

/// 1 / the pivot, which is counted, and made large enough first where it is not a usual one; where
/// it is, `guess`.
template <typename T>
__device__ T inverse_of_pivot(bool usual, T pivot, T guess, T least, int position,
                              PivotCounter& counter) {
  if (!usual) return 1 / large_enough(pivot, SmallPivots<T>{least, least}, position, counter);
  counter.include(fabs(pivot));
  return guess;
}

}  // namespace spsolve::cuda::sparse
