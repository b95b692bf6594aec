#pragma once

#include <vector>

#include "core/untouched_array.hpp"
#include "matrix/csr.hpp"
#include "multiply/fast/row_blocks.hpp"
#include "multiply/kernel/kernel.hpp"
#include "multiply/kernel/row_groups.hpp"

namespace spsolve::inline multiply {

/// CSR whose consecutive rows with equal column patterns share one list of columns, stored as
/// 16-bit distances from the first column of the group where all fit, else as they are. Values
/// stay in the order of the rows. With r rows a group this is 8 + 2/r or 8 + 4/r bytes a non-zero
/// instead of 12 (double), and X is read once for r rows.
/// Pattern groups: the register blocking of Im, Yelick and Vuduc (SPARSITY, 2004) with blocks one
/// column wide, so that no zeros are stored.
/// Groups end with blocks of rows. The matrix is read once for every 32 columns (double) of X.
template <typename T>
class GroupedCsr final : public RowBlockProduct<T> {
 public:
  static GroupedCsr from_csr(const Csr<T>& csr, const KernelOptions& options);

  void multiply_block(Index block, const T* x, T* y, Index columns, bool) const override;
  std::int64_t bytes() const override;

 private:
  using RowBlockProduct<T>::RowBlockProduct;

  struct Group {
    LocalIndex length;  ///< columns
    LocalIndex base;    ///< what to add to each
    LocalIndex rows;
  };
  struct GroupBlock {
    Index first_group = 0;
    Index first_value = 0;
    Index first_column = 0;  ///< place of its first column index
  };

  template <typename Column>
  void copy_rows(const Csr<T>& csr, Index block, UntouchedArray<Column>& indices);
  template <typename Column, typename Columns, typename GroupWork>
  void for_each_group(Index block, const UntouchedArray<Column>& indices, const T* x, T* y,
                      Columns columns, GroupWork&& work) const;
  template <typename Column>
  void multiply_rows(Index block, const UntouchedArray<Column>& indices, const T* x, T* y,
                     Index columns) const;

  std::vector<GroupBlock> parts_;  ///< blocks + 1
  UntouchedArray<Group> groups_;
  UntouchedArray<T> values_;
  UntouchedArray<std::uint16_t> narrow_;  ///< column distances where all fit
  UntouchedArray<LocalIndex> wide_;       ///< columns otherwise
};

}  // namespace spsolve::multiply
