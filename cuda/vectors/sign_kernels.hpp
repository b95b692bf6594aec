#pragma once

#include <span>

#include <cuda_runtime_api.h>

#include "core/types.hpp"
#include "cuda/vectors/reduction_kernels.hpp"

namespace spsolve::cuda::inline vectors {

// Kernels by which searches for the norms of operators work on height x K arrays: see Vectors. In
// the way of reduction_kernels.hpp.

/// x_ic <- |x_ic| with the sign of y_ic, + for zeros and nans; sums_c <- sum over i of |x_ic y_ic|,
/// changes_c <- how many rows' signs of x changed. The room is for 2 K columns.
void take_signs(const double* y, double* x, Index height, Index columns, const ReductionRoom& room,
                double* sums, double* changes, cudaStream_t stream);

/// left_c <- height - i for the first row i with |x_ic| = magnitude_c, 0 where there is none.
void rows_from_first(std::span<const double> magnitudes, const double* x, Index height,
                     const ReductionRoom& room, double* left, cudaStream_t stream);

/// x_i <- max over c of |y_ic| + |z_ic| for i < height; a nan stays one.
void largest_of_rows(const double* y, const double* z, Index height, Index columns, double* x,
                     cudaStream_t stream);

/// Loads these kernels, each of which is loaded else when it is first launched.
void load_sign_kernels();

}  // namespace spsolve::cuda::vectors
