#pragma once

// Rows of which a few neighbouring lanes each look at the entries, and what these lanes tell each
// other.

#include "cuda/core/launch.cuh"
#include "cuda/multiply/storage/device_csr.hpp"

namespace spsolve::cuda::inline vectors::rows_by_lanes {

inline constexpr int threads = 256;
inline constexpr int lanes = 8;  // that share a row

/// visit(i) by groups of lanes, whole warps together, for i < rows.
template <typename Visit>
__device__ void for_rows(Index rows, const Visit& visit) {
  // Groups beyond the last row stay with their warp, for its exchanges.
  const Index last = (rows + warp_size - 1) / warp_size * warp_size;
  for (Index i = thread_index() / lanes; i < last; i += thread_count() / lanes) visit(i);
}

__device__ inline int lane_of_row() {
  return static_cast<int>(threadIdx.x) % lanes;
}

template <typename T, typename Join>
__device__ T over_lanes(T value, const Join& join) {
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2) {
    value = join(value, __shfl_xor_sync(whole_warp, value, distance, lanes));
  }
  return value;
}
struct Sum {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
struct Maximum {
  __device__ double operator()(double a, double b) const { return fmax(a, b); }
};

inline unsigned grid_of_rows(Index rows) {
  return grid_for(rows * lanes, threads);
}

/// Where a row's entries stand; none after the last row.
struct RowEntries {
  Index first = 0, last = 0;
};
__device__ inline RowEntries place_of(const CsrView<double>& a, Index i) {
  return i < a.rows ? RowEntries{a.row_offsets[i], a.row_offsets[i + 1]} : RowEntries{};
}

}  // namespace spsolve::cuda::vectors::rows_by_lanes
