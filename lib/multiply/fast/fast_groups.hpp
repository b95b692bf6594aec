#pragma once

#include <span>
#include <vector>

#include "core/untouched_array.hpp"
#include "matrix/csr.hpp"
#include "multiply/fast/fast_pieces.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve::inline multiply {

/// Most rows in a group: their sums and a vector of X stay in registers together.
inline constexpr int most_rows_in_group = 4;

/// For each group of consecutive rows with the same column pattern the number of its rows, 1 ...
/// most_rows_in_group; runs of more equal rows are cut into groups of nearly equal size.
/// Cost: reads the column indices once.
template <typename T>
std::vector<int> equal_row_groups(const Csr<T>& csr);

/// Non-zeros over stored column indices: 1 where no two consecutive rows share their pattern, 3 for
/// three unknowns at every node of a mesh.
template <typename T>
double grouping_of(const Csr<T>& csr);

/// CSR whose consecutive rows with equal column patterns share one list of columns, stored as
/// 16-bit distances from the first column of the group where all fit, else as they are. Values
/// stay in the order of the rows. With r rows a group this is 8 + 2/r or 8 + 4/r bytes a non-zero
/// instead of 12 (double), and X is read once for r rows.
/// Pattern groups: the register blocking of Im, Yelick and Vuduc (SPARSITY, 2004) with blocks one
/// column wide, so that no zeros are stored.
template <typename T>
class GroupedCsr {
 public:
  static GroupedCsr from_csr(const Csr<T>& csr, const KernelOptions& options);

  /// Y = A X. Groups are shared out by non-zeros. Cost: 2 nnz K; the matrix is read once for every
  /// 32 columns (double) of X.
  void multiply(const T* x, T* y, Index columns);

  std::int64_t bytes() const;

 private:
  struct Group {
    LocalIndex length;  ///< columns
    LocalIndex base;    ///< what to add to each
    LocalIndex rows;
  };
  struct GroupPiece {
    Index first_group, last_group;
    Index first_row;
    Index first_value;
    Index first_column;  ///< place of its first column index
  };

  template <typename Column, typename Columns, typename GroupWork>
  void for_each_group(int part, const UntouchedArray<Column>& indices, const T* x, T* y,
                      Columns columns, GroupWork&& work) const;
  template <typename Column>
  void multiply_part(int part, const UntouchedArray<Column>& indices, const T* x, T* y,
                     Index columns) const;

  fast::Pieces<GroupPiece> pieces_;
  int threads_ = 1;
  Index nonzeros_ = 0;
  UntouchedArray<Group> groups_;
  UntouchedArray<T> values_;
  UntouchedArray<std::uint16_t> narrow_;  ///< column distances where all fit
  UntouchedArray<LocalIndex> wide_;       ///< columns otherwise
};

}  // namespace spsolve::multiply
