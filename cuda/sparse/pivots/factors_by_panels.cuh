#pragma once

// Factors a diagonal block of pivot_block columns in panels: the first warp eliminates a panel, of
// whose rows each lane keeps two in registers, with nothing to wait for but the lane with the
// pivot; then all warps bring the columns to its right up to date.

#include "cuda/core/magnitude.cuh"
#include "cuda/sparse/pivots/pivot_block.cuh"
#include "sparse/places/front_places.hpp"

namespace spsolve::cuda {

/// The columns of a panel, and the two rows of it that a lane of the first warp keeps.
template <typename T>
struct PanelInRegisters {
  static constexpr int side = pivot_block, wide = 16;
  static constexpr int stride = wide + 1;  ///< of lists by column of a panel's rows: other banks
  static_assert(side == 2 * warp_size);

  int lane = threadIdx.x % warp_size;
  T low[wide], high[wide];  // rows `lane` and `lane` + 32

  __device__ PanelInRegisters(DiagonalBlock<T, pivot_block>& block, int begin) {
#pragma unroll
    for (int c = 0; c < wide; ++c) {
      low[c] = block.at(lane, begin + c);
      high[c] = block.at(lane + warp_size, begin + c);
    }
  }

  __device__ void write(DiagonalBlock<T, pivot_block>& block, int begin) const {
#pragma unroll
    for (int c = 0; c < wide; ++c) {
      block.at(lane, begin + c) = low[c];
      block.at(lane + warp_size, begin + c) = high[c];
    }
  }

  /// An entry of a row, for all lanes; `c` is known when this is compiled.
  __device__ T entry(int row, int c) const {
    return __shfl_sync(whole_warp, row < warp_size ? low[c] : high[c], row % warp_size);
  }
};

/// One panel of P D = L U, by the first warp: pivots are the largest of their columns to a
/// millionth. `used` has the rows that were pivots, and those beyond the n ones of the block.
template <typename T>
__device__ void factor_lu_panel(DiagonalBlock<T, pivot_block>& block, int begin, int n, T least,
                                int first, unsigned long long used, PivotCounter& counter) {
  PanelInRegisters<T> own(block, begin);
  bool low_left = !(used >> own.lane & 1), high_left = !(used >> (own.lane + warp_size) & 1);
#pragma unroll
  for (int j = 0; j < own.wide; ++j) {
    if (begin + j >= n) break;
    const unsigned low = low_left ? magnitude_word(own.low[j]) : 0;
    const unsigned high = high_left ? magnitude_word(own.high[j]) : 0;
    const unsigned most = __reduce_max_sync(whole_warp, max(low, high));
    const unsigned in_low = __ballot_sync(whole_warp, low_left && low == most);
    const unsigned in_high = __ballot_sync(whole_warp, high_left && high == most);
    const int chosen = in_low != 0 ? __ffs(static_cast<int>(in_low)) - 1
                                   : warp_size + __ffs(static_cast<int>(in_high)) - 1;
    if (chosen != begin + j) counter.swapped();
    if (own.lane == chosen) low_left = false;
    if (own.lane + warp_size == chosen) high_left = false;
    const T inverse = 1 / large_enough(own.entry(chosen, j), least, first + begin + j, counter);
    const T low_factor = low_left ? own.low[j] * inverse : T(0);
    const T high_factor = high_left ? own.high[j] * inverse : T(0);
#pragma unroll
    for (int c = j + 1; c < own.wide; ++c) {
      const T of_pivot = own.entry(chosen, c);
      own.low[c] -= low_factor * of_pivot;
      own.high[c] -= high_factor * of_pivot;
    }
    if (low_left) own.low[j] = low_factor;
    if (high_left) own.high[j] = high_factor;
    if (own.lane == 0) {
      block.inverse[begin + j] = inverse;
      block.order[begin + j] = chosen;
    }
  }
  own.write(block, begin);
}

/// Subtracts, of the rows where `left`, the product of their entries in a panel and `rows`, the
/// panel's pivot rows, column after column; of columns end ... n.
template <typename T>
__device__ void subtract_panel(DiagonalBlock<T, pivot_block>& block, int begin, int end, int n,
                               const T* rows, bool left) {
  constexpr int side = pivot_block, wide = PanelInRegisters<T>::wide;
  constexpr int stride = PanelInRegisters<T>::stride;
  const int row = threadIdx.x % side, group = threadIdx.x / side, groups = blockDim.x / side;
  if (!left) return;
  T factors[wide];
#pragma unroll
  for (int k = 0; k < wide; ++k) factors[k] = block.at(row, begin + k);
  for (int c = end + group; c < n; c += groups) {
    T value = block.at(row, c);
#pragma unroll
    for (int k = 0; k < wide; ++k) value -= factors[k] * rows[c * stride + k];
    block.at(row, c) = value;
  }
}

/// P D = L U, L and U in the place of D. Rows stay where they are until the end.
template <typename T>
__device__ void factor_lu_by_panels(DiagonalBlock<T, pivot_block>& block, int n, T least, int first,
                                    PivotCounter& counter) {
  constexpr int side = pivot_block, wide = PanelInRegisters<T>::wide;
  constexpr int stride = PanelInRegisters<T>::stride;
  T* const rows = block.upper;  // of the panel's pivots
  unsigned long long used = n < side ? ~0ull << n : 0ull;
  const int row = threadIdx.x % side;
  for (int begin = 0; begin < n; begin += wide) {
    const int end = begin + wide;
    if (threadIdx.x < warp_size) {
      factor_lu_panel(block, begin, n, least, first, used, counter);
    }
    __syncthreads();
    if (end >= n) break;
    // L^-1 times what the pivot rows have to the right, a thread a column.
    if (const int c = end + static_cast<int>(threadIdx.x); c < n) {
      T x[wide];
#pragma unroll
      for (int k = 0; k < wide; ++k) x[k] = block.at(block.order[begin + k], c);
#pragma unroll
      for (int k = 0; k < wide; ++k) {
#pragma unroll
        for (int i = k + 1; i < wide; ++i) {
          x[i] -= block.at(block.order[begin + i], begin + k) * x[k];
        }
      }
#pragma unroll
      for (int k = 0; k < wide; ++k) {
        rows[c * stride + k] = x[k];
        block.at(block.order[begin + k], c) = x[k];
      }
    }
    for (int k = begin; k < end; ++k) used |= 1ull << block.order[k];
    __syncthreads();
    subtract_panel(block, begin, end, n, rows, !(used >> row & 1));
    __syncthreads();
  }
  // Rows to their places.
  constexpr int columns = side / 4;  // of each of the four groups of threads
  const int from = block.order[row], group = threadIdx.x / side;
  T values[columns];
#pragma unroll
  for (int i = 0; i < columns; ++i) values[i] = block.at(from, group * columns + i);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < columns; ++i) block.at(row, group * columns + i) = values[i];
  __syncthreads();
}

/// D = L D' L^T, L with a diagonal of ones, and the inverse roots of D'; the lower triangle is
/// read.
template <typename T>
__device__ void factor_cholesky_by_panels(DiagonalBlock<T, pivot_block>& block, int n, int first,
                                          PivotCounter& counter) {
  constexpr int side = pivot_block, wide = PanelInRegisters<T>::wide;
  constexpr int stride = PanelInRegisters<T>::stride;
  T* const rows = block.upper;  // of D' L^T
  const int row = threadIdx.x % side;
  for (int begin = 0; begin < n; begin += wide) {
    const int end = begin + wide;
    if (threadIdx.x < warp_size) {
      PanelInRegisters<T> own(block, begin);
#pragma unroll
      for (int j = 0; j < wide; ++j) {
        if (begin + j >= n) break;
        T pivot = own.entry(begin + j, j);
        if (!(pivot > 0) || !isfinite(pivot)) {
          counter.failed(first + begin + j);
          pivot = 1;
        }
        counter.include(pivot);
        const T inverse = 1 / pivot;
        const T low_factor = own.lane > begin + j ? own.low[j] * inverse : T(0);
        const T high_factor = own.lane + warp_size > begin + j ? own.high[j] * inverse : T(0);
#pragma unroll
        for (int c = j + 1; c < wide; ++c) {
          const T across = own.entry(begin + c, j);
          own.low[c] -= low_factor * across;
          own.high[c] -= high_factor * across;
        }
        // D' L^T, which columns to the right are brought up to date by.
        rows[own.lane * stride + j] = own.low[j];
        rows[(own.lane + warp_size) * stride + j] = own.high[j];
        own.low[j] = low_factor;
        own.high[j] = high_factor;
        if (own.lane == 0) block.inverse[begin + j] = rsqrt(pivot);
      }
      own.write(block, begin);
    }
    __syncthreads();
    if (end >= n) break;
    subtract_panel(block, begin, end, n, rows, row >= end);
    __syncthreads();
  }
}

}  // namespace spsolve::cuda
