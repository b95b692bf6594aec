#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "core/types.hpp"

namespace spsolve::cuda {

// random_dense:N in GPU memory for benchmarks, from the generator's key alone.

/// A column-major n x n copy for the vendor's libraries.
void fill_random_columns(unsigned long long key, Index n, double* a, Index lda,
                         cudaStream_t stream);

/// norms[0] <- max |b - A x|, norms[1] <- max sum_j |a_ij|, over the n rows of A, which isn't
/// stored.
void random_residual(unsigned long long key, Index n, const double* x, const double* b,
                     double* norms, cudaStream_t stream);

}  // namespace spsolve::cuda
