#pragma once

// The parts that kernels over height x K arrays share: columns in packs, and factors of columns.

#include <algorithm>
#include <span>

#include "cuda/core/launch.cuh"
#include "cuda/core/packed.cuh"
#include "cuda/vectors/quotient_view.hpp"

namespace spsolve::cuda::inline vectors {

inline constexpr int threads = 256;

/// Columns of one launch, or of one row of a grid.
inline constexpr int most_columns = 64;

inline constexpr int widest_pack = full_pack<double>;

/// Factors of the columns of one launch: they travel with it.
struct Factors {
  double values[most_columns];
};

inline Factors factors_from(std::span<const double> all, Index first) {
  Factors factors = {};
  const auto rest = all.subspan(static_cast<std::size_t>(first));
  std::copy_n(rest.begin(), std::min<std::size_t>(rest.size(), most_columns), factors.values);
  return factors;
}

/// `wanted` times a quotient of column c, 0 where the divisor is.
__device__ inline double quotient_of(const QuotientView& t, Index c, double wanted) {
  const double under = t.under[c];
  return wanted == 0 || under == 0 ? 0.0 : wanted * (t.over[c] / under);
}

template <int pack>
__device__ Packed<double, pack>& pack_at(double* row, int place) {
  return reinterpret_cast<Packed<double, pack>*>(row)[place];
}
template <int pack>
__device__ const Packed<double, pack>& pack_at(const double* row, int place) {
  return reinterpret_cast<const Packed<double, pack>*>(row)[place];
}

/// Whether rows can be taken in the widest packs.
inline bool in_packs(const double* x, Index stride) {
  return rows_aligned(x, stride, sizeof(Packed<double, widest_pack>));
}

}  // namespace spsolve::cuda::vectors
