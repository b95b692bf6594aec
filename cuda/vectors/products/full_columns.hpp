#pragma once

#include "cuda/core/device_array.hpp"
#include "cuda/multiply/storage/device_csr.hpp"

namespace spsolve::cuda::inline vectors {

/// The terms that a product with the transposed rows adds up.
enum class Terms { values, magnitudes };

/// y_jc <- sum over i of a_ij x_ic, or of |a_ij| |x_ic|, for rows that have all columns: A^T is not
/// made. Up to 8 columns of x to a pass over A. `parts` is room that grows to at most 64 x columns
/// of A x K. Terms are added up by shares of the rows, and these ascending: the same bits from run
/// to run.
void multiply_full_columns(const CsrView<double>& a, Terms terms, const double* x, double* y,
                           Index columns, DeviceArray<double>& parts, cudaStream_t stream);

}  // namespace spsolve::cuda::vectors
