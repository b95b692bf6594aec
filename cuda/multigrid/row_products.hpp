#pragma once

#include <cuda_runtime_api.h>

#include "cuda/multiply/storage/device_csr.hpp"

namespace spsolve::cuda::inline multigrid {

/// C = A B of rows in the memory of the current GPU, on `stream` and waited for; entries of A whose
/// column is below 0 count as none. Each row of C is added up in a hash table by a few lanes, an
/// entry of A after the other, so that every sum has its terms in the order of A's row: the same
/// bits each time; tables lie in shared memory, of four sizes by the most entries that a row may
/// have, or in GPU memory (Nagasaka, Nukada and Matsuoka, "High-performance and memory-saving
/// sparse general matrix-matrix multiplication for NVIDIA Pascal GPU", ICPP 2017). Rows are counted
/// first, and added up when their places are known. In addition to the result it takes some 40
/// bytes a row, and where rows of more than 1024 entries come 256 MB, or 28 bytes for each entry of
/// the longest if more. Cost: a multiplication for every pair of entries a_ij, b_jk, and the square
/// of a row's entries to sort them.
DeviceCsr<double> row_products(const CsrView<double>& a, const CsrView<double>& b,
                               cudaStream_t stream);

}  // namespace spsolve::cuda::multigrid
