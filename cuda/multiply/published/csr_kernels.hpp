#pragma once

#include <string>
#include <vector>

#include "cuda/multiply/storage/device_csr.hpp"

namespace spsolve::cuda::inline multiply {

// Y = A X with A in CSR, on the current stream; X and Y row-major in GPU memory. As published by
// Capotombolo, Zarrelli 2023; blocks of 512 threads where nothing else is said. "Element" is one
// of the rows x K elements of Y: element e is row e / K, column e mod K.

/// A thread per element, which accumulates in Y itself, in global memory.
template <typename T>
void csr_scalar_1(const CsrView<T>& a, const T* x, T* y, Index columns);

/// A thread per element, which accumulates in a register.
template <typename T>
void csr_scalar_2(const CsrView<T>& a, const T* x, T* y, Index columns);

/// csr_scalar_2 with start and end of the row read once.
template <typename T>
void csr_scalar_3(const CsrView<T>& a, const T* x, T* y, Index columns);

/// A warp per element; its 32 sums are reduced in shared memory (after Bell, Garland 2009).
template <typename T>
void csr_vector(const CsrView<T>& a, const T* x, T* y, Index columns);

/// `width` neighbouring threads per element, a power of two up to 32, or 2 for 0; their sums are
/// reduced by shuffles. Throws Error(input) for another width.
template <typename T>
void csr_vector_subwarp(const CsrView<T>& a, const T* x, T* y, Index columns, int width);

/// A warp per row, 16 rows per block: 8 sub-warps of 4 threads share the K columns of X, which is
/// read transposed (column c at x_transposed + c * a.columns).
template <typename T>
void csr_vector_by_row(const CsrView<T>& a, const T* x_transposed, T* y, Index columns);

/// Products of one row block that fit into a block's part of shared memory.
inline constexpr Index row_block_entries = 1024;

/// Row blocks of CSR-Adaptive (Greathouse, Daga 2014): consecutive rows are packed until their
/// non-zeros, or the rows themselves, are more than row_block_entries; a row with more non-zeros
/// is a block of its own. Block b holds rows [result[b], result[b + 1]). Linear in the rows.
std::vector<Index> row_blocks_of(std::span<const Index> row_offsets);

/// DeviceCsr with its row blocks.
template <typename T>
struct AdaptiveCsr {
  DeviceCsr<T> csr;
  DeviceArray<Index> row_blocks;

  static AdaptiveCsr from_csr(const Csr<T>& matrix, const KernelOptions& options) {
    return {DeviceCsr<T>::from_csr(matrix, options),
            DeviceArray<Index>(row_blocks_of(matrix.row_offsets))};
  }
  Index blocks() const { return row_blocks.size() - 1; }
  std::int64_t bytes() const { return csr.bytes() + row_blocks.bytes(); }
};

/// CSR-Adaptive, one block of 256 threads per row block and column of X. Several rows: their
/// products are formed in shared memory, then a thread sums each row (CSR-Stream). One row: the
/// whole block shares it (CSR-Vector).
template <typename T>
void csr_adaptive(const AdaptiveCsr<T>& a, const T* x_transposed, T* y, Index columns);

/// CSR-Adaptive, one block of 512 threads per row block: 4 sub-blocks of 128 threads, each with
/// its own part of shared memory, take a column of X each until all K are done.
template <typename T>
void csr_adaptive_subblocks(const AdaptiveCsr<T>& a, const T* x_transposed, T* y, Index columns);

}  // namespace spsolve::cuda::multiply
