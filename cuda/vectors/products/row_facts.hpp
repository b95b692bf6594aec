#pragma once

#include <cuda_runtime_api.h>

#include "cuda/multiply/storage/device_csr.hpp"

namespace spsolve::cuda::inline vectors {

/// Entries of the longest row; waits for `stream`.
Index longest_row(const CsrView<double>& rows, cudaStream_t stream);

/// largest_i <- max over j of |a_ij|, 0 for an empty row; a nan is nothing.
void write_row_maxima(const CsrView<double>& a, double* largest, cudaStream_t stream);

/// largest_j <- max over i of factor_i |a_ij| for factors >= 0, likewise, of all columns.
void write_column_maxima(const CsrView<double>& a, const double* factors, double* largest,
                         cudaStream_t stream);

/// d_i <- |a_ii|, or 1 where that is 0, and inverse_i <- 1 / d_i.
void write_diagonal(const CsrView<double>& a, double* d, double* inverse, cudaStream_t stream);

}  // namespace spsolve::cuda::vectors
