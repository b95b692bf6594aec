#pragma once

#include <cuda_runtime.h>

#include "cuda/multiply/storage/device_csr.hpp"

namespace spsolve::cuda::inline vectors {

/// A^T of rows in the memory of the current GPU, on `stream` and waited for: each of its rows in
/// ascending order, as transpose() has them on the host, so that products have the same bits.
/// Pieces of A are sorted by columns (CUB's stable radix sort), one after another, and dealt out to
/// the rows of A^T. bytes_to_transpose() says what that takes in addition to the result.
DeviceCsr<double> transposed_rows(const CsrView<double>& rows, cudaStream_t stream);

}  // namespace spsolve::cuda::vectors
