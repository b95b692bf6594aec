#pragma once

// Factors and inverts a diagonal block of pivots in shared memory, by one thread block.

#include <cuda_runtime.h>

#include "cuda/core/launch.cuh"
#include "cuda/sparse/pivot_tally.hpp"
#include "sparse/fronts/front_places.hpp"

namespace spsolve::cuda {

/// A block of at most `side` pivots, column-major; what is beyond its n pivots is the identity's.
template <typename T, int side>
struct DiagonalBlock {
  static constexpr int stride = side + 1;

  T lower[side * stride];  ///< the block D; in the end L^-1 P, for P D = L U or P D P^T = L D' L^T
  T upper[side * stride];  ///< in the end U^-T, or D'^-1 L^-1 P; not of L L^T
  T inverse[side];         ///< of the pivots; the diagonal of D'^-1
  T beside[side];          ///< below the diagonal of D'^-1
  int order[side];         ///< the row of D that each pivot was taken from
  int chosen, size;        ///< the next pivot's row, and its order

  __device__ T& at(int row, int column) { return lower[column * stride + row]; }
};

/// Counts pivots; of use to thread 0 alone.
class PivotCounter {
 public:
  template <typename T>
  __device__ void include(T magnitude) {
    const auto bits =
        static_cast<unsigned long long>(__double_as_longlong(static_cast<double>(magnitude)));
    smallest_ = min(smallest_, bits);
    largest_ = max(largest_, bits);
  }
  __device__ void perturbed() { ++perturbed_; }
  __device__ void swapped() { ++swaps_; }
  __device__ void negative(int count) { negative_ += count; }
  __device__ void paired() { ++pairs_; }
  __device__ void failed(int position) { failed_ = min(failed_, position); }

  __device__ void add_to(PivotTally* tally) const {
    if (perturbed_ > 0) atomicAdd(&tally->perturbed, static_cast<unsigned long long>(perturbed_));
    if (swaps_ > 0) atomicAdd(&tally->swaps, static_cast<unsigned long long>(swaps_));
    if (negative_ > 0) atomicAdd(&tally->negative, static_cast<unsigned long long>(negative_));
    if (pairs_ > 0) atomicAdd(&tally->pairs, static_cast<unsigned long long>(pairs_));
    // Looking first saves most of the atomic operations on one place.
    if (smallest_ < tally->smallest) atomicMin(&tally->smallest, smallest_);
    if (largest_ > tally->largest) atomicMax(&tally->largest, largest_);
    if (failed_ != none) atomicMin(&tally->failed, static_cast<unsigned long long>(failed_));
  }

 private:
  static constexpr int none = 2147483647;
  int perturbed_ = 0, swaps_ = 0, negative_ = 0, pairs_ = 0, failed_ = none;
  unsigned long long smallest_ = ~0ull >> 1, largest_ = 0;
};

/// The pivot, or what it is made where it is too small.
template <typename T>
__device__ T large_enough(T pivot, T least, int position, PivotCounter& counter) {
  if (!isfinite(pivot)) {
    counter.failed(position);
    return 1;
  }
  if (fabs(pivot) < least) {
    counter.perturbed();
    pivot = copysign(least, pivot);
  }
  counter.include(fabs(pivot));
  return pivot;
}

/// The largest magnitude below `from`, or at `from`, in a column of n entries, but for row
/// `without`, and the first row that has it. By all lanes of a warp, for all of them.
template <typename T>
__device__ T largest_in(const T* column, int from, int n, int without, int& row) {
  T most = -1;
  row = from;
  for (int i = from + static_cast<int>(threadIdx.x % warp_size); i < n; i += warp_size) {
    const T magnitude = fabs(column[i]);
    if (i != without && magnitude > most) {
      most = magnitude;
      row = i;
    }
  }
  for (int distance = warp_size / 2; distance > 0; distance /= 2) {
    const T other = __shfl_xor_sync(whole_warp, most, distance);
    const int other_row = __shfl_xor_sync(whole_warp, row, distance);
    if (other > most || (other == most && other_row < row)) {
      most = other;
      row = other_row;
    }
  }
  return most;
}

/// D = L L^T; the lower triangle is read.
template <typename T, int side>
__device__ void factor_cholesky(DiagonalBlock<T, side>& block, int n, int first,
                                PivotCounter& counter) {
  const int row = threadIdx.x % side, group = threadIdx.x / side, groups = blockDim.x / side;
  for (int j = 0; j < n; ++j) {
    T pivot = block.at(j, j);
    if (!(pivot > 0) || !isfinite(pivot)) {
      counter.failed(first + j);
      pivot = 1;
    }
    counter.include(pivot);
    const T factor = rsqrt(pivot);
    const T own = block.at(row, j) * factor;
    for (int c = j + 1 + group; c <= row; c += groups) {
      block.at(row, c) -= own * (block.at(c, j) * factor);
    }
    __syncthreads();
    if (group == 0 && row >= j) block.at(row, j) = own;
    if (threadIdx.x == 0) block.inverse[j] = factor;
  }
  __syncthreads();
}

/// P D = L U, L and U in the place of D, with the largest pivot of each column.
template <typename T, int side>
__device__ void factor_lu(DiagonalBlock<T, side>& block, int n, T least, int first,
                          PivotCounter& counter) {
  const int row = threadIdx.x % side, group = threadIdx.x / side, groups = blockDim.x / side;
  for (int j = 0; j < n; ++j) {
    if (threadIdx.x < warp_size) {
      int chosen;
      largest_in(&block.at(0, j), j, n, -1, chosen);
      if (threadIdx.x == 0) block.chosen = chosen;
    }
    __syncthreads();
    const int chosen = block.chosen;
    if (chosen != j) {
      counter.swapped();
      for (int c = threadIdx.x; c < side; c += blockDim.x) {
        const T kept = block.at(j, c);
        block.at(j, c) = block.at(chosen, c);
        block.at(chosen, c) = kept;
      }
      if (threadIdx.x == 0) {
        const int kept = block.order[j];
        block.order[j] = block.order[chosen];
        block.order[chosen] = kept;
      }
    }
    __syncthreads();
    const T inverse = 1 / large_enough(block.at(j, j), least, first + j, counter);
    const T own = block.at(row, j) * inverse;
    if (row > j) {
      for (int c = j + 1 + group; c < n; c += groups) block.at(row, c) -= own * block.at(j, c);
    }
    __syncthreads();
    if (group == 0 && row > j) block.at(row, j) = own;
    if (threadIdx.x == 0) block.inverse[j] = inverse;
  }
  __syncthreads();
}

/// Rows of a block whose columns four groups of its threads keep in registers, each every fourth.
template <typename T>
struct RowInRegisters {
  static constexpr int side = pivot_block, groups = 4, count = side / groups;

  int row = threadIdx.x % side, group = threadIdx.x / side;
  T values[count];

  __device__ int column(int i) const { return group + i * groups; }
};

/// factor_cholesky() for blocks of pivot_block, by four times as many threads.
template <typename T>
__device__ void factor_cholesky_in_registers(DiagonalBlock<T, pivot_block>& block, int n, int first,
                                             PivotCounter& counter) {
  RowInRegisters<T> own;
#pragma unroll
  for (int i = 0; i < own.count; ++i) {
    const int c = own.column(i);
    own.values[i] = c <= own.row ? block.at(own.row, c) : block.at(c, own.row);
  }
  // Columns are scaled in the end: the chain from pivot to pivot has no root.
#pragma unroll
  for (int j = 0; j < own.side; ++j) {
    T* const column = block.upper + j % 2 * own.side;
    if (own.group == j % own.groups) column[own.row] = own.values[j / own.groups];
    __syncthreads();
    T pivot = column[j];
    if (!(pivot > 0) || !isfinite(pivot)) {
      counter.failed(first + j);
      pivot = 1;
    }
    if (j < n) counter.include(pivot);
    if (threadIdx.x == 0) block.inverse[j] = pivot;
    const T factor = own.row > j ? column[own.row] * (1 / pivot) : T(0);
#pragma unroll
    for (int i = j / own.groups; i < own.count; ++i) {
      const int c = own.column(i);
      if (c > j) own.values[i] -= factor * column[c];
    }
  }
  __syncthreads();
  if (threadIdx.x < own.side) block.inverse[threadIdx.x] = rsqrt(block.inverse[threadIdx.x]);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < own.count; ++i) {
    const int c = own.column(i);
    if (c <= own.row) block.at(own.row, c) = own.values[i] * block.inverse[c];
  }
  __syncthreads();
}

/// What magnitudes are compared by: 32 bits that ascend with them.
__device__ inline unsigned order_of(double value) {
  return static_cast<unsigned>(__double2hiint(value)) & 0x7fffffffu;
}
__device__ inline unsigned order_of(float value) {
  return __float_as_uint(value) & 0x7fffffffu;
}

/// The first row of the largest entry of a column, but for `used` ones; of those that are as large
/// but for a millionth one is as good as another. By all lanes of a warp.
template <typename T>
__device__ int largest_unused(const T* column, unsigned long long used) {
  const int lane = threadIdx.x % warp_size;
  const bool low_used = used >> lane & 1, high_used = used >> (lane + warp_size) & 1;
  const unsigned low = low_used ? 0 : order_of(column[lane]);
  const unsigned high = high_used ? 0 : order_of(column[lane + warp_size]);
#if __CUDA_ARCH__ >= 800
  const unsigned most = __reduce_max_sync(whole_warp, max(low, high));
#else
  unsigned most = max(low, high);
  for (int distance = warp_size / 2; distance > 0; distance /= 2) {
    most = max(most, __shfl_xor_sync(whole_warp, most, distance));
  }
#endif
  const unsigned in_low = __ballot_sync(whole_warp, !low_used && low == most);
  const unsigned in_high = __ballot_sync(whole_warp, !high_used && high == most);
  return in_low != 0 ? __ffs(static_cast<int>(in_low)) - 1
                     : warp_size + __ffs(static_cast<int>(in_high)) - 1;
}

/// factor_lu() likewise. Rows stay where they are until the end.
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

/// Exchanges rows and columns a and b of a symmetric block, whose columns from `from` on are not
/// yet eliminated.
template <typename T, int side>
__device__ void exchange(DiagonalBlock<T, side>& block, int a, int b) {
  for (int c = threadIdx.x; c < side; c += blockDim.x) {
    const T kept = block.at(a, c);
    block.at(a, c) = block.at(b, c);
    block.at(b, c) = kept;
  }
  __syncthreads();
  for (int r = threadIdx.x; r < side; r += blockDim.x) {
    const T kept = block.at(r, a);
    block.at(r, a) = block.at(r, b);
    block.at(r, b) = kept;
  }
  if (threadIdx.x == 0) {
    const int kept = block.order[a];
    block.order[a] = block.order[b];
    block.order[b] = kept;
  }
}

/// By the first warp: which pivot is next at j, of one row or of two (Bunch and Kaufman 1977).
template <typename T, int side>
__device__ void choose_symmetric(DiagonalBlock<T, side>& block, int j, int n, T least) {
  constexpr T alpha = static_cast<T>(0.6403882032022076);  // (1 + sqrt(17)) / 8
  const T own = fabs(block.at(j, j));
  int row, ignored;
  const T below = largest_in(&block.at(0, j), j + 1, n, -1, row);
  int chosen = j, size = 1;
  if (j + 1 < n && fmax(own, below) >= least && own < alpha * below) {
    const T across = largest_in(&block.at(0, row), j, n, row, ignored);
    if (own * across < alpha * below * below) {
      chosen = row;
      if (fabs(block.at(row, row)) < alpha * across) size = 2;
    }
  }
  if (threadIdx.x == 0) {
    block.chosen = chosen;
    block.size = size;
  }
}

/// Eliminates with rows j and j + 1.
template <typename T, int side>
__device__ void eliminate_pair(DiagonalBlock<T, side>& block, int j, int n,
                               PivotCounter& counter) {
  const int row = threadIdx.x % side, group = threadIdx.x / side, groups = blockDim.x / side;
  const T a = block.at(j, j), b = block.at(j + 1, j), c = block.at(j + 1, j + 1);
  // Of the largest entry b first: products of all three may overflow.
  const T x = a / b, y = c / b, determinant = x * y - 1;
  const T scale = 1 / (determinant * b);
  const T first = y * scale, second = x * scale, off = -scale;
  counter.paired();
  counter.include(sqrt(fabs(determinant)) * fabs(b));
  counter.negative(determinant < 0 ? 1 : a < 0 ? 2 : 0);
  const T own = block.at(row, j), next = block.at(row, j + 1);
  const T l1 = own * first + next * off, l2 = own * off + next * second;
  if (row > j + 1) {
    for (int k = j + 2 + group; k < n; k += groups) {
      block.at(row, k) -= l1 * block.at(k, j) + l2 * block.at(k, j + 1);
    }
  }
  __syncthreads();
  if (group == 0 && row > j + 1) {
    block.at(row, j) = l1;
    block.at(row, j + 1) = l2;
  }
  if (threadIdx.x == 0) {
    block.at(j + 1, j) = 0;
    block.inverse[j] = first;
    block.inverse[j + 1] = second;
    block.beside[j] = off;
    block.beside[j + 1] = 0;
  }
}

/// P D P^T = L D' L^T with pivots of one or two rows, L in the place of D; D is given as a square.
template <typename T, int side>
__device__ void factor_ldlt(DiagonalBlock<T, side>& block, int n, T least, int first,
                            PivotCounter& counter) {
  const int row = threadIdx.x % side, group = threadIdx.x / side, groups = blockDim.x / side;
  for (int j = 0; j < n;) {
    if (threadIdx.x < warp_size) choose_symmetric(block, j, n, least);
    __syncthreads();
    const int chosen = block.chosen, size = block.size;
    const int to = j + size - 1;
    if (chosen != to) {
      counter.swapped();
      exchange(block, to, chosen);
    }
    __syncthreads();
    if (size == 2) {
      eliminate_pair(block, j, n, counter);
    } else {
      const T pivot = large_enough(block.at(j, j), least, first + j, counter);
      if (pivot < 0) counter.negative(1);
      const T inverse = 1 / pivot;
      const T own = block.at(row, j) * inverse;
      if (row > j) {
        for (int c = j + 1 + group; c < n; c += groups) block.at(row, c) -= own * block.at(c, j);
      }
      __syncthreads();
      if (group == 0 && row > j) block.at(row, j) = own;
      if (threadIdx.x == 0) {
        block.inverse[j] = inverse;
        block.beside[j] = 0;
      }
    }
    j += size;
    __syncthreads();
  }
}

/// Factors the block's first n pivots, and puts their inverted factors in its place. All threads of
/// the thread block call it, `first` is the position of its first pivot. The number of threads is a
/// multiple of `side`, at least two; four for pivot_block.
template <Factorization kind, typename T, int side>
__device__ void invert(DiagonalBlock<T, side>& block, int n, T least, int first,
                       PivotTally* tally) {
  PivotCounter counter;
  for (int i = threadIdx.x; i < side; i += blockDim.x) {
    block.order[i] = i;
    block.inverse[i] = 1;
    block.beside[i] = 0;
  }
  __syncthreads();
  if constexpr (kind == Factorization::cholesky) {
    if constexpr (side == pivot_block) {
      factor_cholesky_in_registers(block, n, first, counter);
    } else {
      factor_cholesky(block, n, first, counter);
    }
  }
  if constexpr (kind == Factorization::lu) {
    if constexpr (side == pivot_block) {
      factor_lu_in_registers(block, n, least, first, counter);
    } else {
      factor_lu(block, n, least, first, counter);
    }
  }
  if constexpr (kind == Factorization::ldlt) factor_ldlt(block, n, least, first, counter);
  if (threadIdx.x == 0) counter.add_to(tally);
  // A thread a column, which it keeps in registers.
  const int column = threadIdx.x % side, task = threadIdx.x / side;
  T x[side];
  if (task == 0) {
#pragma unroll
    for (int i = 0; i < side; ++i) x[i] = block.order[i] == column ? T(1) : T(0);
#pragma unroll
    for (int k = 0; k < side; ++k) {
      if constexpr (kind == Factorization::cholesky) x[k] *= block.inverse[k];
#pragma unroll
      for (int i = k + 1; i < side; ++i) x[i] -= block.at(i, k) * x[k];
    }
  } else if (task == 1 && kind == Factorization::lu) {
#pragma unroll
    for (int i = 0; i < side; ++i) x[i] = i == column ? T(1) : T(0);
#pragma unroll
    for (int k = side - 1; k >= 0; --k) {
      x[k] *= block.inverse[k];
#pragma unroll
      for (int i = 0; i < k; ++i) x[i] -= block.at(i, k) * x[k];
    }
  }
  __syncthreads();
  if (task == 0) {
#pragma unroll
    for (int i = 0; i < side; ++i) block.at(i, column) = x[i];
    if constexpr (kind == Factorization::ldlt) {
#pragma unroll
      for (int i = 0; i < side; ++i) {
        T value = block.inverse[i] * x[i];
        if (i + 1 < side) value += block.beside[i] * x[i + 1 < side ? i + 1 : i];
        if (i > 0) value += block.beside[i > 0 ? i - 1 : 0] * x[i > 0 ? i - 1 : 0];
        block.upper[column * block.stride + i] = value;
      }
    }
  } else if (task == 1 && kind == Factorization::lu) {
#pragma unroll
    for (int i = 0; i < side; ++i) block.upper[i * block.stride + column] = x[i];
  }
  __syncthreads();
}

}  // namespace spsolve::cuda
