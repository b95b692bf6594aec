#pragma once

#include "cuda/core/packed.cuh"
#include "cuda/multiply/fast/typed_rows.hpp"

namespace spsolve::cuda {

/// add(a_ij, x_j) for the elements of row i in their order; load(distance, x) reads `pack` columns
/// of row i + distance of X. Several are loaded before the first is added.
template <int pack, typename T, typename Load, typename Add>
__device__ void over_typed_row(const TypedView<T>& a, Index i, const Load& load, const Add& add) {
  constexpr int in_flight = 5;
  const int type = a.row_types[i];
  Index j = a.offsets[type];
  const Index end = a.offsets[type + 1];
  for (; j + in_flight <= end; j += in_flight) {
    T loaded[in_flight][pack];
#pragma unroll
    for (int u = 0; u < in_flight; ++u) load(a.distances[j + u], loaded[u]);
#pragma unroll
    for (int u = 0; u < in_flight; ++u) add(a.values[j + u], loaded[u]);
  }
  T loaded[in_flight - 1][pack];
#pragma unroll
  for (int u = 0; u < in_flight - 1; ++u) {
    if (j + u < end) load(a.distances[j + u], loaded[u]);
  }
#pragma unroll
  for (int u = 0; u < in_flight - 1; ++u) {
    if (j + u < end) add(a.values[j + u], loaded[u]);
  }
}

}  // namespace spsolve::cuda
