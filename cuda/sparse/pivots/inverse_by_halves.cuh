#pragma once

// Inverts the factors of a diagonal block of pivot_block columns: the halves on the diagonal by a
// warp each, a lane a column, then the block next to them by products. Reads from shared memory
// take the time, and a product uses each value four times.

#include "cuda/sparse/pivots/pivot_block.cuh"
#include "sparse/layout/device_layout.hpp"

namespace spsolve::cuda::inline sparse {

template <typename T>
using PivotBlock = DiagonalBlock<T, pivot_block>;

inline constexpr int half_block = pivot_block / 2;
static_assert(half_block == warp_size);

/// The half of L from row `first` on, of which the diagonal is ones and stays so, becomes its
/// inverse, below the diagonal. By one warp.
template <typename T>
__device__ void invert_lower_half(PivotBlock<T>& block, int first) {
  const int column = static_cast<int>(threadIdx.x) % warp_size;
  T x[half_block];
#pragma unroll
  for (int i = 0; i < half_block; ++i) x[i] = i == column ? T(1) : T(0);
#pragma unroll
  for (int k = 0; k < half_block; ++k) {
#pragma unroll
    for (int i = k + 1; i < half_block; ++i) x[i] -= block.at(first + i, first + k) * x[k];
  }
  __syncwarp();
#pragma unroll
  for (int i = 1; i < half_block; ++i) {
    if (i > column) block.at(first + i, first + column) = x[i];
  }
}

/// The inverse of the half of U from row `first` on goes to its place in block.upper.
template <typename T>
__device__ void invert_upper_half(PivotBlock<T>& block, int first) {
  const int column = static_cast<int>(threadIdx.x) % warp_size;
  T x[half_block];
#pragma unroll
  for (int i = 0; i < half_block; ++i) x[i] = i == column ? T(1) : T(0);
#pragma unroll
  for (int k = half_block - 1; k >= 0; --k) {
    x[k] *= block.inverse[first + k];
#pragma unroll
    for (int i = 0; i < k; ++i) x[i] -= block.at(first + i, first + k) * x[k];
  }
#pragma unroll
  for (int i = 0; i < half_block; ++i) {
    block.upper[(first + i) * block.stride + first + column] = x[i];
  }
}

/// 4 x 4 elements of A B for halves A and B, by one of 64 threads.
template <typename T>
struct HalfProductTile {
  static constexpr int side = 4, across = half_block / side;

  int row, column;  ///< the first ones
  T sums[side][side] = {};

  __device__ explicit HalfProductTile(int thread)
      : row(thread % across * side), column(thread / across * side) {}

  template <typename A, typename B>
  __device__ void multiply(const A& a, const B& b) {
#pragma unroll 4
    for (int k = 0; k < half_block; ++k) {
      T left[side], right[side];
#pragma unroll
      for (int q = 0; q < side; ++q) {
        left[q] = a(row + q, k);
        right[q] = b(k, column + q);
      }
#pragma unroll
      for (int i = 0; i < side; ++i) {
#pragma unroll
        for (int j = 0; j < side; ++j) sums[i][j] += left[i] * right[j];
      }
    }
  }

  template <typename Store>
  __device__ void store(const Store& to) const {
#pragma unroll
    for (int i = 0; i < side; ++i) {
#pragma unroll
      for (int j = 0; j < side; ++j) to(row + i, column + j, sums[i][j]);
    }
  }
};

/// An element of a half of L^-1 as it is kept.
template <typename T>
__device__ T of_inverse(PivotBlock<T>& block, int first, int row, int column) {
  const T below = block.at(first + row, first + column);
  return row > column ? below : T(row == column);
}

/// L^-1, its diagonal aside, in the place of L, and of L U also U^-1 in block.upper. By all threads
/// of the thread block.
template <Factorization kind, typename T>
__device__ void invert_by_halves(PivotBlock<T>& block) {
  constexpr bool has_upper = kind == Factorization::lu;
  constexpr int half = half_block, of_product = 2 * warp_size;
  const int task = static_cast<int>(threadIdx.x) / warp_size;
  if (task < 2) {
    invert_lower_half(block, task * half);
  } else if (task < 4 && has_upper) {
    invert_upper_half(block, (task - 2) * half);
  }
  __syncthreads();
  const int thread = static_cast<int>(threadIdx.x) % of_product;
  const bool of_lower = threadIdx.x < of_product;
  const bool of_upper = has_upper && !of_lower && threadIdx.x < 2 * of_product;
  const auto lower = [&](int i, int j) { return block.at(half + i, j); };
  const auto upper = [&](int i, int j) { return block.at(i, half + j); };
  {
    HalfProductTile<T> tile(thread);
    if (of_lower) {
      tile.multiply(lower, [&](int k, int j) { return of_inverse(block, 0, k, j); });
    } else if (of_upper) {
      tile.multiply(
          upper, [&](int k, int j) { return block.upper[(half + k) * block.stride + half + j]; });
    }
    __syncthreads();
    if (of_lower) tile.store([&](int i, int j, T sum) { block.at(half + i, j) = sum; });
    if (of_upper) tile.store([&](int i, int j, T sum) { block.at(i, half + j) = sum; });
  }
  __syncthreads();
  HalfProductTile<T> tile(thread);
  if (of_lower) {
    tile.multiply([&](int i, int k) { return of_inverse(block, half, i, k); }, lower);
  } else if (of_upper) {
    tile.multiply([&](int i, int k) { return block.upper[i * block.stride + k]; }, upper);
  }
  __syncthreads();
  if (of_lower) tile.store([&](int i, int j, T sum) { block.at(half + i, j) = -sum; });
  if (of_upper) {
    tile.store([&](int i, int j, T sum) { block.upper[i * block.stride + half + j] = -sum; });
  }
  __syncthreads();
}

/// Puts the inverted factors of the block in their place, as invert_factors() does.
template <Factorization kind, typename T>
__device__ void invert_factors_by_halves(PivotBlock<T>& block) {
  invert_by_halves<kind>(block);
  constexpr int groups = 4, columns = pivot_block / groups;
  const int row = static_cast<int>(threadIdx.x) % pivot_block;
  const int first = static_cast<int>(threadIdx.x) / pivot_block * columns;
  T values[columns];
#pragma unroll
  for (int c = 0; c < columns; ++c) values[c] = of_inverse(block, 0, row, first + c);
  __syncthreads();
  const T scale = kind == Factorization::cholesky ? block.inverse[row] : T(1);
#pragma unroll
  for (int c = 0; c < columns; ++c) block.at(row, block.order[first + c]) = values[c] * scale;
  if constexpr (kind == Factorization::lu) {
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      if (row >= half_block && first + c < half_block) {
        block.upper[row * block.stride + first + c] = 0;
      }
    }
  }
  __syncthreads();
  if constexpr (kind == Factorization::ldlt) {
    const bool has_next = row + 1 < pivot_block, has_last = row > 0;
#pragma unroll
    for (int c = first; c < first + columns; ++c) {
      T value = block.inverse[row] * block.at(row, c);
      if (has_next) value += block.beside[row] * block.at(row + 1, c);
      if (has_last) value += block.beside[row - 1] * block.at(row - 1, c);
      block.upper[c * block.stride + row] = value;
    }
    __syncthreads();
  }
}

}  // namespace spsolve::cuda::sparse
