#pragma once

// Factors and inverts a diagonal block of pivots, by one thread block.

#include "cuda/sparse/pivots/factors_by_panels.cuh"
#include "cuda/sparse/pivots/factors_by_warp.cuh"
#include "cuda/sparse/pivots/inverse_by_halves.cuh"
#include "cuda/sparse/pivots/symmetric_panels.cuh"

namespace spsolve::cuda::inline sparse {

/// Fills the block with the first n x n of entry(row, column), mirrored from the lower triangle for
/// L D L^T.
template <Factorization kind, typename T, int side, typename Entry>
__device__ void fill(DiagonalBlock<T, side>& block, int n, const Entry& entry) {
  constexpr int batch = 8;  // loads under way before the first is stored
  for (int first = threadIdx.x; first < side * side; first += batch * blockDim.x) {
    T values[batch];
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      const int i = first + b * static_cast<int>(blockDim.x);
      const int row = i % side, column = i / side;
      const bool mirrored = kind == Factorization::ldlt && row < column;
      values[b] = row >= n || column >= n ? T(row == column)
                  : mirrored              ? entry(column, row)
                                          : entry(row, column);
    }
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      const int i = first + b * static_cast<int>(blockDim.x);
      if (i < side * side) block.at(i % side, i / side) = values[b];
    }
  }
  __syncthreads();
}

/// Puts the inverted factors of the block in their place: a thread a column, which it keeps in
/// registers, those of U next to those of L. L comes with a diagonal of ones, of L L^T too, whose
/// rows are scaled in the end.
template <Factorization kind, typename T, int side>
__device__ void invert_factors(DiagonalBlock<T, side>& block, int n) {
  const int column = threadIdx.x % side, task = threadIdx.x / side;
  T x[side];
  if (task == 0) {
#pragma unroll
    for (int i = 0; i < side; ++i) x[i] = block.order[i] == column ? T(1) : T(0);
#pragma unroll
    for (int k = 0; k < side; ++k) {
      if (k >= n) break;
#pragma unroll
      for (int i = k + 1; i < side; ++i) x[i] -= block.at(i, k) * x[k];
    }
  } else if (task == 1 && kind == Factorization::lu) {
#pragma unroll
    for (int i = 0; i < side; ++i) x[i] = i == column ? T(1) : T(0);
#pragma unroll
    for (int k = side - 1; k >= 0; --k) {
      if (k >= n) continue;
      x[k] *= block.inverse[k];
#pragma unroll
      for (int i = 0; i < k; ++i) x[i] -= block.at(i, k) * x[k];
    }
  }
  __syncthreads();
  if (task == 0) {
#pragma unroll
    for (int i = 0; i < side; ++i) {
      block.at(i, column) = kind == Factorization::cholesky ? x[i] * block.inverse[i] : x[i];
    }
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

/// Factors the block's first n pivots, and puts their inverted factors in its place. All threads of
/// the thread block call it, `first` is the position of its first pivot. The number of threads is a
/// multiple of `side`, at least two; four for pivot_block.
template <Factorization kind, typename T, int side>
__device__ void invert(DiagonalBlock<T, side>& block, int n, const SmallPivots<T>& small, int first,
                       PivotTally* tally) {
  PivotCounter counter;
  for (int i = threadIdx.x; i < side; i += blockDim.x) {
    block.order[i] = i;
    block.inverse[i] = 1;
    block.beside[i] = 0;
  }
  __syncthreads();
  if constexpr (kind == Factorization::ldlt) {
    SymmetricPanels<T, side>(block, n, small, first, tally, counter).factor();
  } else if constexpr (side == pivot_block) {
    if constexpr (kind == Factorization::lu) {
      factor_lu_by_panels(block, n, small.least, first, counter);
    } else {
      factor_cholesky_by_panels(block, n, first, counter);
    }
  } else {
    if (threadIdx.x < warp_size) {
      if constexpr (kind == Factorization::lu) {
        factor_lu_by_warp(block, n, small.least, first, counter);
      } else {
        factor_cholesky_by_warp(block, n, first, counter);
      }
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) counter.add_to(tally);
  if constexpr (side == pivot_block) {
    invert_factors_by_halves<kind>(block);
  } else {
    invert_factors<kind>(block, n);
  }
}

}  // namespace spsolve::cuda::sparse
