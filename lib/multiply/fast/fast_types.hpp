#pragma once

#include <vector>

#include "core/untouched_array.hpp"
#include "matrix/csr.hpp"
#include "multiply/kernel/kernel.hpp"
#include "multiply/kernel/row_types.hpp"

namespace spsolve::inline multiply {

/// A matrix whose rows are of few types: a dictionary of the types' distances (column - row) and
/// values, and for every run of rows of one type eight bytes. The matrix of a stencil on a grid
/// takes next to nothing, so that X and Y alone are left to be moved.
/// Value dictionaries: Kourtis, Goumas and Koziris, "Optimizing sparse matrix-vector multiplication
/// using index and value compression" (CF 2008); here of whole rows.
template <typename T>
class TypedRows {
 public:
  /// Throws Error(resources) where there are more than most_row_types types.
  static TypedRows from_csr(const Csr<T>& csr, const KernelOptions& options);

  /// Y = A X. In a run of one type, y_t = sum over k of a_k x_(t + d_k K) for all elements t of its
  /// rows of Y: contiguous vectors for every K, without indices. Sums are in the order of the
  /// columns, the same for any number of threads. Where Y is large, it is stored past the caches.
  /// Cost: 2 nnz K.
  void multiply(const T* x, T* y, Index columns) const;

  std::int64_t bytes() const;

 private:
  struct ThreadPart {
    Index first_row;
    UntouchedArray<RowRun> runs;
  };

  template <bool streaming>
  void multiply_part(const ThreadPart& part, const T* x, T* y, Index columns) const;

  std::vector<ThreadPart> parts_;
  int threads_ = 1;
  Index rows_ = 0;
  Index nonzeros_ = 0;
  std::vector<Index> first_entry_;  ///< of each type; types + 1
  std::vector<Index> distances_;    ///< column - row
  std::vector<T> values_;
};

}  // namespace spsolve::multiply
