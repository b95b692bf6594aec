#pragma once

// Factors a diagonal block of 16 or 32 columns by the first warp of a thread block: a lane a row,
// which it keeps in registers, and nothing to wait for but the lane with the pivot.

#include "cuda/sparse/pivots/pivot_block.cuh"

namespace spsolve::cuda {

/// D = L D' L^T, L with a diagonal of ones, and the inverse roots of D'; the lower triangle is
/// read.
template <typename T, int side>
__device__ void factor_cholesky_by_warp(DiagonalBlock<T, side>& block, int n, int first,
                                        PivotCounter& counter) {
  static_assert(side <= warp_size);
  const int row = static_cast<int>(threadIdx.x) % warp_size, held = min(row, side - 1);
  T values[side];
#pragma unroll
  for (int c = 0; c < side; ++c) values[c] = block.at(held, c);
  T of_row = 1;  // the pivot, before its root
#pragma unroll
  for (int j = 0; j < side; ++j) {
    if (j >= n) break;
    T pivot = __shfl_sync(whole_warp, values[j], j);
    if (!(pivot > 0) || !isfinite(pivot)) {
      counter.failed(first + j);
      pivot = 1;
    }
    counter.include(pivot);
    if (row == j) of_row = pivot;
    const T factor = row > j ? values[j] * (1 / pivot) : T(0);
#pragma unroll
    for (int c = j + 1; c < side; ++c) {
      values[c] -= factor * __shfl_sync(whole_warp, values[j], c);
    }
  }
  if (row < side) block.inverse[row] = rsqrt(of_row);
  __syncwarp();
#pragma unroll
  for (int c = 0; c < side; ++c) {
    const T inverse = block.inverse[c];
    if (c <= row && row < side) block.at(row, c) = values[c] * inverse * inverse;
  }
}

/// P D = L U, L and U in the place of D, with a pivot of each column that is the largest to a
/// millionth. Rows stay where they are until the end.
template <typename T, int side>
__device__ void factor_lu_by_warp(DiagonalBlock<T, side>& block, int n, T least, int first,
                                  PivotCounter& counter) {
  static_assert(side <= warp_size);
  const int row = static_cast<int>(threadIdx.x) % warp_size, held = min(row, side - 1);
  T values[side];
#pragma unroll
  for (int c = 0; c < side; ++c) values[c] = block.at(held, c);
  bool left = row < n;
  int place = row;  // among the pivots
#pragma unroll
  for (int j = 0; j < side; ++j) {
    if (j >= n) break;
    const unsigned word = left ? magnitude_word(values[j]) : 0;
    const unsigned most = __reduce_max_sync(whole_warp, word);
    const int chosen = __ffs(static_cast<int>(__ballot_sync(whole_warp, left && word == most))) - 1;
    if (chosen != j) counter.swapped();
    const T inverse =
        1 / large_enough(__shfl_sync(whole_warp, values[j], chosen), least, first + j, counter);
    if (row == chosen) {
      left = false;
      place = j;
    }
    const T factor = left ? values[j] * inverse : T(0);
#pragma unroll
    for (int c = j + 1; c < side; ++c) {
      values[c] -= factor * __shfl_sync(whole_warp, values[c], chosen);
    }
    if (left) values[j] = factor;
    if (row == 0) {
      block.inverse[j] = inverse;
      block.order[j] = chosen;
    }
  }
  __syncwarp();  // all have read what is overwritten
  if (row >= side) return;
#pragma unroll
  for (int c = 0; c < side; ++c) block.at(place, c) = values[c];
}

}  // namespace spsolve::cuda
