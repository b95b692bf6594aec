#pragma once

#include <span>

#include <cuda_runtime_api.h>

#include "core/types.hpp"
#include "cuda/vectors/quotient_view.hpp"

namespace spsolve::cuda::inline vectors {

// Operations on height x K arrays of double in GPU memory, row-major and contiguous unless a stride
// is named. Memory-bound: every element is read and written once, 16 bytes at a time where rows are
// aligned so.

/// x_i <- value for i < count.
void fill(double* x, Index count, double value, cudaStream_t stream);

/// x_i <- number first + i of random_multivector() with this seed, for i < count.
void fill_random(double* x, Index count, Index first, Index seed, cudaStream_t stream);

/// x(i, j) <- y(i, j) for j < count; rows of x and y begin `x_stride` and `y_stride` elements
/// apart.
void copy_columns(const double* y, Index y_stride, double* x, Index x_stride, Index height,
                  Index count, cudaStream_t stream);

/// x(:, c) <- x(:, c) + factor_c y(:, c); a factor in host memory for every column.
void add_multiples(std::span<const double> factors, const double* y, double* x, Index height,
                   cudaStream_t stream);

/// x(:, c) <- own_c x(:, c) + factor_c y(:, c); an own_c of 0 takes nothing of what x holds.
void combine(std::span<const double> own, std::span<const double> factors, const double* y,
             double* x, Index height, cudaStream_t stream);

/// An array and what factors go with it: t_c = wanted_c times a quotient, 0 where its divisor is.
template <typename T>
struct QuotientTimes {
  QuotientView t;
  T* values;
};

/// x(:, c) <- x(:, c) + s_c p(:, c) for `step`, x and its factors, and then
/// p(:, c) <- y(:, c) + t_c p(:, c) for `turn`, y and those of p.
void step_and_turn(std::span<const double> wanted, const QuotientTimes<double>& step,
                   const QuotientTimes<const double>& turn, double* p, Index height,
                   cudaStream_t stream);

/// x(i, :) <- own x(i, :) + factor d_i y(i, :), likewise.
void add_scaled_rows(double own, double factor, const double* d, const double* y, double* x,
                     Index height, Index columns, cudaStream_t stream);

/// x(:, c) <- factor_c x(:, c); a factor 0 gives zeros whatever x holds.
void scale_columns(std::span<const double> factors, double* x, Index height, cudaStream_t stream);

/// x(i, :) <- d_i x(i, :)
void scale_rows(const double* d, double* x, Index height, Index columns, cudaStream_t stream);

}  // namespace spsolve::cuda::vectors
