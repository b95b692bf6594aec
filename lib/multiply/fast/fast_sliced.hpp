#pragma once

#include <cstdint>
#include <vector>

#include "core/untouched_array.hpp"
#include "matrix/csr.hpp"
#include "matrix/real_form.hpp"
#include "multiply/fast/fast_entries.hpp"
#include "multiply/fast/row_blocks.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve::inline multiply {

/// Short rows side by side: the rows of each block are sorted by length and packed into slices of
/// as many as a vector register has elements. Step j of a slice holds the j-th non-zeros of those
/// of its rows that are so long, next to each other: one gather serves them all, and no zeros are
/// stored. Rows of 64 non-zeros or more stay rows. Columns are 16-bit distances from the first one
/// of the block where all fit.
/// SELL-C-sigma: Kreutzer, Hager, Wellein, Fehske and Bishop (SIAM J. Sci. Comput. 36, 2014),
/// without its padding.
///
/// Of a real form (matrix/real_form.hpp) entries have two parts, S and T once, and rows are those
/// of the complex matrix, half a register's elements in a slice: half the bytes of values and a
/// quarter of those of columns. Blocks, X and Y are those of the real form.
///
/// Made for K = 1, of a real form for few columns: a row's length is no branch to guess. Of a real
/// form that is to be multiplied by more, rows keep their order and are no slices: their rows of X
/// and Y then are what the caches have to hold.
template <typename T, int parts>
class SlicedEntries final : public RowBlockProduct<T> {
 public:
  static SlicedEntries from_csr(const Csr<T>& csr, const KernelOptions& options);

  void multiply_block(Index block, const T* x, T* y, Index columns, bool streaming) const override;
  std::int64_t bytes() const override;
  /// No other format has the numbers of a real form once.
  Index most_columns() const override { return parts > 1 ? RowBlockProduct<T>::most_columns() : 1; }

 private:
  using RowBlockProduct<T>::RowBlockProduct;

  struct Slice {
    LocalIndex shortest;  ///< steps in which all lanes take part
    LocalIndex longest;   ///< steps; a row that is alone has shortest == longest and one row
    LocalIndex rows;      ///< 1 for long rows, which are contiguous; else lanes or fewer
  };
  struct SliceBlock {
    Index first_slice = 0;
    Index first_value = 0;  ///< place of the first non-zero
    Index first_step = 0;   ///< place of the first lane count
    LocalIndex base = 0;    ///< what to add to each column
  };

  /// Rows of the matrix, in which an entry is one, that a block has.
  Range rows_of(Index block) const {
    const Range rows = this->blocks().rows(block);
    return {rows.first / parts, rows.last / parts};
  }
  void sort_rows(const Csr<T>& csr, Index block);
  template <typename Work>
  void for_each_slice(const Csr<T>& csr, Index block, const Work& work) const;
  template <typename Column>
  void copy_rows(const Csr<T>& csr, Index block, UntouchedArray<Column>& columns);
  template <typename Column>
  void multiply_vector(Index block, const UntouchedArray<Column>& columns, const T* x, T* y) const;
  template <typename Column>
  void multiply_columns(Index block, const UntouchedArray<Column>& indices, const T* x, T* y,
                        Index columns, bool streaming) const;
  template <typename Sums, typename Column, typename Columns, typename Last>
  void sum_slices(Index block, const Column* indices, const T* x, T* y, Columns columns, Last last,
                  fast::RowEnd end) const;

  std::vector<SliceBlock> parts_;  ///< blocks + 1
  UntouchedArray<Slice> slices_;
  UntouchedArray<std::uint16_t> order_;  ///< the row of its block at each place of the sorted order
  /// For every step of a slice beyond its shortest row: how many rows take part.
  UntouchedArray<std::uint8_t> active_;
  UntouchedArray<std::uint16_t> narrow_;  ///< column distances where all fit
  UntouchedArray<LocalIndex> wide_;       ///< columns otherwise
  UntouchedArray<T> values_;
  bool sorts_ = true;        ///< rows are sorted and lie side by side
  bool conjugates_ = false;  ///< rows of imaginary parts have the opposite sign
};

template <typename T>
using SlicedRows = SlicedEntries<T, 1>;

/// Of a matrix that real_form_kind() knows.
template <typename T>
using ComplexRows = SlicedEntries<T, complex_parts>;

}  // namespace spsolve::multiply
