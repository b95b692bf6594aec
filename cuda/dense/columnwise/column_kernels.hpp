#pragma once

#include <cuda_runtime_api.h>

#include "core/types.hpp"

namespace spsolve::cuda::inline dense {

// The kernels of an elimination column by column. Matrices are row-major with leading dimension
// `stride`; row and column numbers are local.

/// A pivot candidate on its way to the host; key 0 where there was none.
struct Candidate {
  unsigned long long key;  ///< magnitude_key()
  Index row;
  Index column;
};

/// Blocks of find_candidate(), for its work space.
inline constexpr int candidate_blocks = 128;

/// The largest |a_ij| in rows [first_row, first_row + rows) and columns likewise, the first in row
/// order, then column order, among equals: warp-shuffle reductions, then one of the blocks'
/// winners by the last block. `space` has candidate_blocks + 1 candidates, the first is the answer;
/// `counter` is 0 and is left so.
template <typename T>
void find_candidate(const T* a, Index stride, Index first_row, Index rows, Index first_column,
                    Index columns, Candidate* space, unsigned* counter, cudaStream_t stream);

/// For rows [first, first + rows): multipliers(i) = a(i, column) / pivot(column), which take the
/// place of a(i, column); then a(i, j) <- a(i, j) - multipliers(i) pivot(j) for j > column.
template <typename T>
void eliminate_rows(T* a, Index stride, Index first, Index rows, Index order, Index column,
                    const T* pivot, T* multipliers, cudaStream_t stream);

/// b(i, :) <- b(i, :) - multipliers(i step) pivot(:) for `rows` rows of right-hand sides, as
/// eliminate_rows() does with the columns of the matrix.
template <typename T>
void eliminate_carried(T* b, Index stride, Index rows, Index columns, const T* multipliers,
                       Index step, const T* pivot, cudaStream_t stream);

/// Swaps rows i and k over `columns` values, or columns i and k over `rows` rows.
template <typename T>
void swap_two_rows(T* a, Index stride, Index columns, Index i, Index k, cudaStream_t stream);
template <typename T>
void swap_two_columns(T* a, Index stride, Index rows, Index i, Index k, cudaStream_t stream);

/// y(i, :) <- x(i, :) - sum over k > i of a(i, k) x(k, :), for the `order` rows of a square block.
template <typename T>
void subtract_strict_upper(const T* a, Index stride, Index order, const T* x, T* y, Index columns,
                           cudaStream_t stream);

/// y(k, :) <- x(k, :) - sum over i < k of a(i, k) x(i, :), likewise.
template <typename T>
void subtract_strict_upper_transposed(const T* a, Index stride, Index order, const T* x, T* y,
                                      Index columns, cudaStream_t stream);

}  // namespace spsolve::cuda::dense
