#pragma once

#include "core/untouched_array.hpp"
#include "matrix/csr.hpp"
#include "multiply/fast/fast_pieces.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve::inline multiply {

/// Short rows side by side: within windows of 1024 rows, rows are sorted by length and packed into
/// slices of as many as a vector register has elements. Step j of a slice holds the j-th non-zeros
/// of those of its rows that are so long, next to each other: one gather serves them all, and no
/// zeros are stored. Rows of 64 non-zeros or more stay rows.
/// SELL-C-sigma: Kreutzer, Hager, Wellein, Fehske and Bishop (SIAM J. Sci. Comput. 36, 2014),
/// without its padding.
template <typename T>
class SlicedRows {
 public:
  static SlicedRows from_csr(const Csr<T>& csr, const KernelOptions& options);

  /// Y = A X. Made for K = 1: a row's length is no branch to guess. Cost: 2 nnz K. Windows are
  /// shared out by non-zeros; long rows are not cut.
  void multiply(const T* x, T* y, Index columns);

  std::int64_t bytes() const;

 private:
  struct Slice {
    LocalIndex shortest;  ///< steps in which all lanes take part
    LocalIndex longest;   ///< steps; a row that is alone has shortest == longest and one row
    LocalIndex rows;      ///< 1 for long rows, which are contiguous; else lanes or fewer
  };
  struct SlicePiece {
    Index first_slice = 0, last_slice = 0;
    Index first_row = 0;    ///< place in the sorted order
    Index first_value = 0;  ///< place of the first non-zero
    Index first_step = 0;   ///< place of the first lane count
  };

  void multiply_vector(const SlicePiece& piece, const T* x, T* y) const;
  void multiply_columns(const SlicePiece& piece, const T* x, T* y, Index columns) const;

  fast::Pieces<SlicePiece> pieces_;
  int threads_ = 1;
  Index nonzeros_ = 0;
  UntouchedArray<Slice> slices_;
  UntouchedArray<LocalIndex> order_;  ///< the row at each place of the sorted order
  /// For every step of a slice beyond its shortest row: how many rows take part.
  UntouchedArray<std::uint8_t> active_;
  UntouchedArray<LocalIndex> column_indices_;
  UntouchedArray<T> values_;
};

}  // namespace spsolve::multiply
