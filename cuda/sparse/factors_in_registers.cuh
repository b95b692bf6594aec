#pragma once

// Factors a diagonal block of pivot_block columns that its threads keep in registers: from step to
// step only the next column and row pass through shared memory.

#include "cuda/core/magnitude.cuh"
#include "cuda/sparse/pivot_block.cuh"
#include "sparse/places/front_places.hpp"

namespace spsolve::cuda {

/// Rows of a block whose columns four groups of its threads keep in registers, each every fourth.
template <typename T>
struct RowInRegisters {
  static constexpr int side = pivot_block, groups = 4, count = side / groups;

  int row = threadIdx.x % side, group = threadIdx.x / side;
  T values[count];

  __device__ int column(int i) const { return group + i * groups; }
};

/// D = L D' L^T, L with a diagonal of ones, and the inverse roots of D'; by four threads a row.
template <typename T>
__device__ void factor_cholesky_in_registers(DiagonalBlock<T, pivot_block>& block, int n, int first,
                                             PivotCounter& counter) {
  RowInRegisters<T> own;
#pragma unroll
  for (int i = 0; i < own.count; ++i) {
    const int c = own.column(i);
    own.values[i] = c <= own.row ? block.at(own.row, c) : block.at(c, own.row);
  }
  // Columns are scaled in the end: the chain from pivot to pivot has no root. Of what a pivot
  // changes the next column comes first; the others wait until that is on its way to all threads.
  constexpr int kept = 3;  // columns: the last one is still read
  T* const columns = block.upper;
  if (own.group == 0) columns[own.row] = own.values[0];
  T last_factor = 0;
#pragma unroll
  for (int j = 0; j < own.side; ++j) {
    if (j >= n) break;
    const T* const column = columns + j % kept * own.side;
    const T* const last = columns + (j + kept - 1) % kept * own.side;
    __syncthreads();
    T pivot = column[j];
    if (!(pivot > 0) || !isfinite(pivot)) {
      counter.failed(first + j);
      pivot = 1;
    }
    counter.include(pivot);
    if (threadIdx.x == 0) block.inverse[j] = pivot;
    const T factor = own.row > j ? column[own.row] * (1 / pivot) : T(0);
#pragma unroll
    for (int i = j / own.groups; i < own.count; ++i) {
      const int c = own.column(i);
      if (j > 0 && c > j) own.values[i] -= last_factor * last[c];
    }
    if (j + 1 < own.side && own.group == (j + 1) % own.groups) {
      T& next = own.values[(j + 1) / own.groups];
      next -= factor * column[j + 1];
      columns[(j + 1) % kept * own.side + own.row] = next;
    }
    last_factor = factor;
  }
  __syncthreads();
  if (threadIdx.x < own.side) block.inverse[threadIdx.x] = rsqrt(block.inverse[threadIdx.x]);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < own.count; ++i) {
    const int c = own.column(i);
    const T inverse = block.inverse[c];
    if (c <= own.row) block.at(own.row, c) = own.values[i] * inverse * inverse;
  }
  __syncthreads();
}

/// The first row of the largest entry of a column, but for `used` ones; of those that are as large
/// but for a millionth one is as good as another. By all lanes of a warp.
template <typename T>
__device__ int largest_unused(const T* column, unsigned long long used) {
  const int lane = threadIdx.x % warp_size;
  const bool low_used = used >> lane & 1, high_used = used >> (lane + warp_size) & 1;
  const unsigned low = low_used ? 0 : magnitude_word(column[lane]);
  const unsigned high = high_used ? 0 : magnitude_word(column[lane + warp_size]);
  const unsigned most = __reduce_max_sync(whole_warp, max(low, high));
  const unsigned in_low = __ballot_sync(whole_warp, !low_used && low == most);
  const unsigned in_high = __ballot_sync(whole_warp, !high_used && high == most);
  return in_low != 0 ? __ffs(static_cast<int>(in_low)) - 1
                     : warp_size + __ffs(static_cast<int>(in_high)) - 1;
}

/// P D = L U likewise. Rows stay where they are until the end.
template <typename T>
__device__ void factor_lu_in_registers(DiagonalBlock<T, pivot_block>& block, int n, T least,
                                       int first, PivotCounter& counter) {
  RowInRegisters<T> own;
#pragma unroll
  for (int i = 0; i < own.count; ++i) own.values[i] = block.at(own.row, own.column(i));
  T* const pivot_row = block.upper + 2 * own.side;
  unsigned long long used = n < own.side ? ~0ull << n : 0ull;
  int place = own.row;  // of the row among the pivots
#pragma unroll
  for (int j = 0; j < own.side; ++j) {
    if (j >= n) break;
    T* const column = block.upper + j % 2 * own.side;
    if (own.group == j % own.groups) column[own.row] = own.values[j / own.groups];
    __syncthreads();
    const int chosen = largest_unused(column, used);
    used |= 1ull << chosen;
    if (own.row == chosen) {
      place = j;
#pragma unroll
      for (int i = j / own.groups; i < own.count; ++i) pivot_row[own.column(i)] = own.values[i];
    }
    if (chosen != j) counter.swapped();
    const T inverse = 1 / large_enough(column[chosen], least, first + j, counter);
    const bool left = !(used >> own.row & 1);
    const T factor = left ? column[own.row] * inverse : T(0);
    __syncthreads();
#pragma unroll
    for (int i = j / own.groups; i < own.count; ++i) {
      const int c = own.column(i);
      if (c > j) own.values[i] -= factor * pivot_row[c];
    }
    if (left && own.group == j % own.groups) own.values[j / own.groups] = factor;
    if (threadIdx.x == 0) {
      block.inverse[j] = inverse;
      block.order[j] = chosen;
    }
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < own.count; ++i) block.at(place, own.column(i)) = own.values[i];
  __syncthreads();
}

}  // namespace spsolve::cuda
