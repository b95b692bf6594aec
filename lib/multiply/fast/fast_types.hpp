#pragma once

#include <vector>

#include "matrix/csr.hpp"
#include "multiply/fast/row_blocks.hpp"
#include "multiply/kernel/kernel.hpp"
#include "multiply/kernel/row_types.hpp"

namespace spsolve::inline multiply {

/// A matrix whose rows are of few types: a dictionary of the types' distances (column - row) and
/// values, and for every run of rows of one type eight bytes. The matrix of a stencil on a grid
/// takes next to nothing, so that X and Y alone are left to be moved.
/// Value dictionaries: Kourtis, Goumas and Koziris, "Optimizing sparse matrix-vector multiplication
/// using index and value compression" (CF 2008); here of whole rows.
///
/// In a run of one type, y_t = sum over k of a_k x_(t + d_k K) for all elements t of its rows of Y:
/// contiguous vectors for every K, without indices. Sums are in the order of the columns.
template <typename T>
class TypedRows final : public RowBlockProduct<T> {
 public:
  /// Throws Error(resources) where there are more than most_row_types types.
  static TypedRows from_csr(const Csr<T>& csr, const KernelOptions& options);
  /// For the types that were found in `csr`, at most most_row_types.
  TypedRows(const Csr<T>& csr, const RowTypes& types, int threads);

  void multiply_block(Index block, const T* x, T* y, Index columns, bool streaming) const override;
  std::int64_t bytes() const override;

 private:
  template <bool streaming>
  void multiply_runs(Index block, const T* x, T* y, Index columns) const;

  std::vector<RowRun> runs_;        ///< which end with blocks
  std::vector<Index> first_run_;    ///< of each block; blocks + 1
  std::vector<Index> first_entry_;  ///< of each type; types + 1
  std::vector<Index> distances_;    ///< column - row
  std::vector<T> values_;
};

}  // namespace spsolve::multiply
