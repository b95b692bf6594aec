#pragma once

// Factors a diagonal block of 16 or 32 columns by the first warp of a thread block: a lane a row,
// which it keeps in registers, and nothing to wait for but the lane with the pivot.

#include "cuda/sparse/pivots/pivot_search.cuh"
#include "cuda/sparse/pivots/shared_list.cuh"

namespace spsolve::cuda::inline sparse {

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
  const SharedList<T, side> shared(block.upper);
#pragma unroll
  for (int j = 0; j < side; ++j) {
    if (j >= n) break;
    T* const column = shared.of(j);
    if (row < side) column[row] = values[j];
    __syncwarp();
    T across[side];
    shared.load(column, across, j);
    T pivot = across[j];
    if (!(pivot > 0) || !isfinite(pivot)) {
      counter.failed(first + j);
      pivot = 1;
    }
    counter.include(pivot);
    if (row == j) of_row = pivot;
    const T factor = row > j ? values[j] * (1 / pivot) : T(0);
#pragma unroll
    for (int c = j + 1; c < side; ++c) {
      values[c] -= factor * across[c];
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

/// P D = L U, L and U in the place of D, with a pivot of each column that is the largest, or
/// nearly. Rows stay where they are until the end.
template <typename T, int side>
__device__ void factor_lu_by_warp(DiagonalBlock<T, side>& block, int n, T least, int first,
                                  PivotCounter& counter) {
  static_assert(side <= warp_size);
  const int row = static_cast<int>(threadIdx.x) % warp_size, held = min(row, side - 1);
  T values[side];
#pragma unroll
  for (int c = 0; c < side; ++c) values[c] = block.at(held, c);
  const SharedList<T, side> shared(block.upper);
  const UsualPivots<T> usual(least);
  bool left = row < n;
  int place = row;  // among the pivots
#pragma unroll
  for (int j = 0; j < side; ++j) {
    if (j >= n) break;
    const unsigned key = left ? pivot_key(values[j], row) : 0;
    const unsigned most = __reduce_max_sync(whole_warp, key);
    T* const pivot_row = shared.of(j);
    const T guess = inverse_if_usual(values[j]);
    if (key == most) {
      shared.store(pivot_row, values, j);
      shared.inverse_in(pivot_row) = guess;
    }
    __syncwarp();
    T of_pivot[side];
    shared.load(pivot_row, of_pivot, j);
    const T inverse = inverse_of_pivot(usual.has(most), of_pivot[j], shared.inverse_in(pivot_row),
                                       least, first + j, counter);
    const int chosen = row_of_key(most);
    if (chosen != j) counter.swapped();
    if (row == chosen) {
      left = false;
      place = j;
    }
    const T factor = left ? values[j] * inverse : T(0);
#pragma unroll
    for (int c = j + 1; c < side; ++c) {
      values[c] -= factor * of_pivot[c];
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

}  // namespace spsolve::cuda::sparse
