#pragma once

// Factors a symmetric diagonal block where it lies in shared memory, by one thread block of a
// multiple of `side` threads.

#include "cuda/sparse/pivots/pivot_block.cuh"

namespace spsolve::cuda::inline sparse {

/// Exchanges two rows.
template <typename T, int side>
__device__ void exchange_rows(DiagonalBlock<T, side>& block, int a, int b) {
  for (int c = threadIdx.x; c < side; c += blockDim.x) {
    const T kept = block.at(a, c);
    block.at(a, c) = block.at(b, c);
    block.at(b, c) = kept;
  }
  if (threadIdx.x == 0) {
    const int kept = block.order[a];
    block.order[a] = block.order[b];
    block.order[b] = kept;
  }
}

/// Exchanges rows and columns a and b of a symmetric block.
template <typename T, int side>
__device__ void exchange(DiagonalBlock<T, side>& block, int a, int b) {
  exchange_rows(block, a, b);
  __syncthreads();
  for (int r = threadIdx.x; r < side; r += blockDim.x) {
    const T kept = block.at(r, a);
    block.at(r, a) = block.at(r, b);
    block.at(r, b) = kept;
  }
}

/// Finds, by the first warp, which pivot is next at j, of one row or of two (Bunch and Kaufman
/// 1977).
template <typename T, int side>
__device__ void choose_symmetric(DiagonalBlock<T, side>& block, int j, int n, Real<T> least) {
  constexpr auto alpha = static_cast<Real<T>>(0.6403882032022076);  // (1 + sqrt(17)) / 8
  const Real<T> own = pivot_size(block.at(j, j));
  int row, ignored;
  const Real<T> below = largest_in(&block.at(0, j), j + 1, n, -1, row);
  int chosen = j, size = 1;
  if (j + 1 < n && fmax(own, below) >= least && own < alpha * below) {
    const Real<T> across = largest_in(&block.at(0, row), j, n, row, ignored);
    if (own * across < alpha * below * below) {
      chosen = row;
      if (pivot_size(block.at(row, row)) < alpha * across) size = 2;
    }
  }
  if (threadIdx.x == 0) {
    block.chosen = chosen;
    block.size = size;
  }
}

/// block(row, c) <- block(row, c) - times(c) for this thread's columns from `from` on: a few are
/// loaded before one is stored, as each trip to shared memory takes longer than the rest.
template <typename T, int side, typename Times>
__device__ void subtract_from_row(DiagonalBlock<T, side>& block, int from, int n,
                                  const Times& times) {
  constexpr int batch = 4;
  const int row = threadIdx.x % side, group = threadIdx.x / side, groups = blockDim.x / side;
  for (int c0 = from + group; c0 < n; c0 += batch * groups) {
    T values[batch];
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      const int c = c0 + b * groups;
      values[b] = c < n ? block.at(row, c) - times(c) : T(0);
    }
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      const int c = c0 + b * groups;
      if (c < n) block.at(row, c) = values[b];
    }
  }
}

/// Eliminates with rows j and j + 1.
template <typename T, int side>
__device__ void eliminate_pair(DiagonalBlock<T, side>& block, int j, int n, PivotCounter& counter) {
  const int row = threadIdx.x % side, group = threadIdx.x / side;
  const T a = block.at(j, j), b = block.at(j + 1, j), c = block.at(j + 1, j + 1);
  // Divides by the largest entry b first: products of all three may overflow.
  const T x = a / b, y = c / b, determinant = x * y - 1;
  const T scale = 1 / (determinant * b);
  const T first = y * scale, second = x * scale, off = -scale;
  counter.paired();
  counter.include(sqrt(fabs(determinant)) * fabs(b));
  counter.negative(determinant < 0 ? 1 : a < 0 ? 2 : 0);
  const T own = block.at(row, j), next = block.at(row, j + 1);
  const T l1 = own * first + next * off, l2 = own * off + next * second;
  if (row > j + 1) {
    subtract_from_row(block, j + 2, n,
                      [&](int k) { return l1 * block.at(k, j) + l2 * block.at(k, j + 1); });
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
  const int row = threadIdx.x % side, group = threadIdx.x / side;
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
        subtract_from_row(block, j + 1, n, [&](int c) { return own * block.at(c, j); });
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

}  // namespace spsolve::cuda::sparse
