#pragma once

#include <complex>
#include <span>

#include <cuda_runtime_api.h>

#include "core/types.hpp"
#include "cuda/vectors/reduction_kernels.hpp"

namespace spsolve::cuda::inline vectors {

// Operations on arrays of 2 `pairs` x K doubles in GPU memory, row-major, whose rows 2i and 2i + 1
// are real and imaginary parts of row i of a complex array. Memory-bound, in the way of
// vector_kernels.hpp and reduction_kernels.hpp.

/// x(:, c) <- own_c x(:, c) + factor_c y(:, c); an own_c of 0 takes nothing of what x holds. Where
/// y is null, x(:, c) <- own_c x(:, c).
void combine_complex(std::span<const std::complex<double>> own,
                     std::span<const std::complex<double>> factors, const double* y, double* x,
                     Index pairs, cudaStream_t stream);

/// sums_c and sums_(K + c) <- real and imaginary part of the sum over i of conj(x_ic) y_ic, or of
/// x_ic y_ic. The room is for 2 K columns.
void complex_column_dots(bool conjugates, const double* x, const double* y, Index pairs,
                         Index columns, const ReductionRoom& room, double* sums,
                         cudaStream_t stream);

}  // namespace spsolve::cuda::vectors
