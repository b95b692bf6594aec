#pragma once

#include <cuda_runtime_api.h>

#include "core/types.hpp"
#include "cuda/dense/columnwise/column_kernels.hpp"

namespace spsolve::cuda::inline dense {

// A run of steps of an elimination column by column, of a square matrix that lies whole in the
// memory of one GPU: one launch a step, nothing read by the host before the run ends.

/// The most columns of a run.
inline constexpr int longest_column_run = 64;

/// The results that a run leaves for the host.
struct RunReport {
  unsigned long long largest;  ///< magnitude_key() of max |u_kj|, j >= k, over the steps done
  /// Entry s: the pivot of step s of the run; of key 0 after one that is zero or not finite, which
  /// ends the run.
  Candidate pivots[longest_column_run + 1];
};

/// The matrix of a run and its work space.
template <typename T>
struct ColumnRun {
  T* a;                   ///< order x order, row-major, 16-byte aligned rows
  Index stride;           ///< leading dimension, a multiple of 16 bytes
  Index order;            ///< n
  T* columns;             ///< 2 n: the column of a step as it is before it, and the one after it
  Candidate* candidates;  ///< candidate_count(n): the next pivot's candidates
  unsigned* stripes;      ///< stripe_count(n, K) zeros, left as zeros: blocks that are done
  RunReport* report;
  T* carried;             ///< order x K, right-hand sides that go along, likewise aligned
  Index carried_stride;   ///< their leading dimension, a multiple of 16 bytes
  Index carried_columns;  ///< K, or 0
};

Index candidate_count(Index order);
template <typename T>
Index stripe_count(Index order, Index carried_columns);

/// Steps `first`, ..., first + count - 1 of Gaussian elimination, or with `jordan` of Gauss-Jordan
/// elimination, with partial pivoting or, without `search`, pivots on the diagonal. Same element by
/// element as by find_candidate(), swap_two_rows() and eliminate_rows(). Right-hand sides that go
/// along are further columns, in stripes of their own, which no pivot is looked for in.
///
/// Each step reads and writes the active part once, 2 rows (n - k) values. Blocks update tiles of
/// it; what a step needs of the one before it, the pivot's row number and the column, is left by
/// those blocks in work space, and the last block in each stripe of columns swaps the two rows
/// there, when nobody reads the pivot row any more. `pivot` is the first step's candidate on the
/// device.
template <typename T>
void eliminate_columns(const ColumnRun<T>& run, Index first, Index count, bool jordan, bool search,
                       const Candidate* pivot, cudaStream_t stream);

}  // namespace spsolve::cuda::dense
