#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "core/types.hpp"

namespace spsolve::cuda {

// Random systems in GPU memory for benchmarks: random_dense:N from the generator's key alone, with
// `diagonal` added to a_ii.

/// A column-major copy of columns first ... first + columns - 1 of the n x n matrix for the
/// vendor's libraries.
void fill_random_columns(unsigned long long key, double diagonal, Index n, Index first,
                         Index columns, double* a, Index lda, cudaStream_t stream);

/// norms[0] <- max |b - A x|, norms[1] <- max sum_j |a_ij|, over the rows [first, last) of the n x
/// n matrix A, which isn't stored; b and x are whole.
void random_residual(unsigned long long key, double diagonal, Index first, Index last, Index n,
                     const double* x, const double* b, double* norms, cudaStream_t stream);

/// norm <- the largest sum of absolute values in a row of the row-major rows x columns matrix `a`.
void largest_row_sum(const double* a, Index stride, Index rows, Index columns, double* norm,
                     cudaStream_t stream);

}  // namespace spsolve::cuda
