#pragma once

// Factors a diagonal block of pivot_block columns in panels: the first warp eliminates a panel, of
// whose rows each lane keeps two in registers, with nothing to wait for but the lane with the
// pivot; then all warps bring the columns to its right up to date.

#include "cuda/sparse/pivots/pivot_search.cuh"
#include "cuda/sparse/pivots/shared_list.cuh"
#include "sparse/layout/device_layout.hpp"

namespace spsolve::cuda::inline sparse {

/// The columns of a panel, and the two rows of it that a lane of the first warp keeps.
template <typename T>
struct PanelInRegisters {
  static constexpr int side = pivot_block, wide = 16;
  static constexpr int stride = wide + 2;  ///< of lists by column of a panel's rows: other banks
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
};

/// The pivot rows of a panel one after another, of which what is left of the diagonal is wanted.
template <typename T>
using PivotRows = SharedList<T, PanelInRegisters<T>::wide, PanelInRegisters<T>::wide>;

/// Their place: after the values that columns to the right are brought up to date by.
template <typename T>
__device__ PivotRows<T> pivot_rows(DiagonalBlock<T, pivot_block>& block) {
  return PivotRows<T>(block.upper + pivot_block * PanelInRegisters<T>::stride);
}

/// One panel of P D = L U, by the first warp: pivots are the largest of their columns, or nearly.
/// `used` has the rows that were pivots, and those beyond the n ones of the block.
template <typename T>
__device__ void factor_lu_panel(DiagonalBlock<T, pivot_block>& block, int begin, int n, T least,
                                int first, unsigned long long used, PivotCounter& counter) {
  PanelInRegisters<T> own(block, begin);
  const SharedList<T, own.wide> shared(block.upper);
  const UsualPivots<T> usual(least);
  int low_place = -1, high_place = -1;  // of the lane's rows among the panel's pivots
  bool low_left = !(used >> own.lane & 1), high_left = !(used >> (own.lane + warp_size) & 1);
#pragma unroll
  for (int j = 0; j < own.wide; ++j) {
    if (begin + j >= n) break;
    const unsigned low = low_left ? pivot_key(own.low[j], own.lane) : 0;
    const unsigned high = high_left ? pivot_key(own.high[j], own.lane + warp_size) : 0;
    const unsigned most = __reduce_max_sync(whole_warp, max(low, high));
    T* const pivot_row = shared.of(j);
    const T guess = inverse_if_usual(low >= high ? own.low[j] : own.high[j]);
    if (low == most) shared.store(pivot_row, own.low, j);
    if (high == most) shared.store(pivot_row, own.high, j);
    if (max(low, high) == most) shared.inverse_in(pivot_row) = guess;
    __syncwarp();
    T of_pivot[own.wide];
    shared.load(pivot_row, of_pivot, j);
    const T inverse = inverse_of_pivot(usual.has(most), of_pivot[j], shared.inverse_in(pivot_row),
                                       least, first + begin + j, counter);
    const int chosen = row_of_key(most);
    if (chosen != begin + j) counter.swapped();
    if (own.lane == chosen) {
      low_left = false;
      low_place = j;
    }
    if (own.lane + warp_size == chosen) {
      high_left = false;
      high_place = j;
    }
    const T low_factor = low_left ? own.low[j] * inverse : T(0);
    const T high_factor = high_left ? own.high[j] * inverse : T(0);
#pragma unroll
    for (int c = j + 1; c < own.wide; ++c) {
      own.low[c] -= low_factor * of_pivot[c];
      own.high[c] -= high_factor * of_pivot[c];
    }
    if (low_left) own.low[j] = low_factor;
    if (high_left) own.high[j] = high_factor;
    if (own.lane == 0) {
      block.inverse[begin + j] = inverse;
      block.order[begin + j] = chosen;
    }
  }
  own.write(block, begin);
  const PivotRows<T> rows = pivot_rows(block);
  if (low_place >= 0) rows.store(rows.of(low_place), own.low, 0);
  if (high_place >= 0) rows.store(rows.of(high_place), own.high, 0);
}

/// Subtracts, of the rows that are not `done`, the product of their entries in a panel and `rows`,
/// the panel's pivot rows, column after column; of columns end ... n. A lane has two rows, as what
/// is read of `rows` takes the time.
template <typename T>
__device__ void subtract_panel(DiagonalBlock<T, pivot_block>& block, int begin, int end, int n,
                               const T* rows, unsigned long long done) {
  constexpr int wide = PanelInRegisters<T>::wide;
  constexpr int stride = PanelInRegisters<T>::stride;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int group = static_cast<int>(threadIdx.x) / warp_size;
  const int groups = static_cast<int>(blockDim.x) / warp_size;
  const bool left[2] = {!(done >> lane & 1), !(done >> (lane + warp_size) & 1)};
  T factors[2][wide];
#pragma unroll
  for (int k = 0; k < wide; ++k) {
    factors[0][k] = block.at(lane, begin + k);
    factors[1][k] = block.at(lane + warp_size, begin + k);
  }
  constexpr int batch = 2;  // columns at a time
  for (int first = end + group; first < n; first += batch * groups) {
    T values[batch][2];
    const T* of_column[batch];
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      // After the last column the group takes its first again: others are written to by other warps
      // meanwhile.
      const int next = first + b * groups, c = next < n ? next : first;
      of_column[b] = rows + c * stride;
      values[b][0] = block.at(lane, c);
      values[b][1] = block.at(lane + warp_size, c);
    }
#pragma unroll
    for (int k = 0; k < wide; k += 2) {
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        const auto pair = *reinterpret_cast<const Packed<T, 2>*>(of_column[b] + k);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          values[b][half] -= factors[half][k] * pair.elements[0];
          values[b][half] -= factors[half][k + 1] * pair.elements[1];
        }
      }
    }
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      const int c = first + b * groups;
      if (c >= n) continue;
      if (left[0]) block.at(lane, c) = values[b][0];
      if (left[1]) block.at(lane + warp_size, c) = values[b][1];
    }
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
      const PivotRows<T> pivots = pivot_rows(block);
#pragma unroll
      for (int k = 0; k < wide; ++k) {
#pragma unroll
        for (int i = k + 1; i < wide; ++i) x[i] -= pivots.of(i)[k] * x[k];
      }
#pragma unroll
      for (int k = 0; k < wide; ++k) {
        rows[c * stride + k] = x[k];
        block.at(block.order[begin + k], c) = x[k];
      }
    }
    for (int k = begin; k < end; ++k) used |= 1ull << block.order[k];
    __syncthreads();
    subtract_panel(block, begin, end, n, rows, used);
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
  for (int begin = 0; begin < n; begin += wide) {
    const int end = begin + wide;
    if (threadIdx.x < warp_size) {
      PanelInRegisters<T> own(block, begin);
      const SharedList<T, wide> shared(rows + side * stride);
#pragma unroll
      for (int j = 0; j < wide; ++j) {
        if (begin + j >= n) break;
        // The panel's own rows of column j, which are one half's.
        T* const column = shared.of(j);
        if (const int r = own.lane - begin % warp_size; r >= 0 && r < wide) {
          column[r] = begin < warp_size ? own.low[j] : own.high[j];
        }
        __syncwarp();
        T across[wide];
        shared.load(column, across, j);
        T pivot = across[j];
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
          own.low[c] -= low_factor * across[c];
          own.high[c] -= high_factor * across[c];
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
    subtract_panel(block, begin, end, n, rows, (1ull << end) - 1);
    __syncthreads();
  }
}

}  // namespace spsolve::cuda::sparse
