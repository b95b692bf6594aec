#pragma once

#include <array>
#include <cstdint>

#include "cuda/core/device_array.hpp"
#include "cuda/multiply/fast/fast_rows.hpp"
#include "cuda/multiply/fast/groups/row_groups.hpp"

namespace spsolve::cuda::inline multiply {

/// Groups of r rows with one list of columns each, in slices of 32 groups: the groups are sorted by
/// descending length within windows of `sigma` groups, and a slice is stored column by column.
/// Column j of lane s of a slice is at offset + 32 j + s, and the value of row q there at
/// r (offset + 32 j) + 32 q + s. Padding is never read.
template <typename T>
struct SlicedGroups {
  static constexpr Index slice = 32;
  static constexpr Index sigma = 1024;

  Index count = 0;  ///< groups
  DeviceArray<Index> slice_offsets;
  DeviceArray<LocalIndex> rows;              ///< by slot: first row
  DeviceArray<LocalIndex> lengths;           ///< by slot: columns
  DeviceArray<LocalIndex> columns;           ///< or empty, and
  DeviceArray<std::int16_t> narrow_columns;  ///< distances from the first row
  DeviceArray<T> values;

  std::int64_t bytes() const {
    return slice_offsets.bytes() + rows.bytes() + lengths.bytes() + columns.bytes() +
           narrow_columns.bytes() + values.bytes();
  }
};

/// SlicedGroups of r rows at [r - 1], and rows that are far longer than the others apart.
template <typename T>
struct GroupedSlices {
  std::array<SlicedGroups<T>, most_rows_in_group> groups;
  LongRows<T> long_rows;

  static GroupedSlices from_csr(const Csr<T>& matrix, const KernelOptions& options);
  std::int64_t bytes() const;
};

/// Y = A X on the current stream, X and Y row-major in GPU memory: a thread per group of rows, its
/// sums in registers, up to 4 columns of X at a time, each value of X loaded once for the group.
/// Columns are 16 bits wide where all are near the diagonal. Sums have a fixed order. Cost: 2 nnz
/// K. Slices after SELL-C-sigma (Kreutzer, Hager, Wellein, Fehske, Bishop 2014), groups as
/// multiply/kernel/row_groups.hpp.
template <typename T>
void grouped_slices(GroupedSlices<T>& a, const T* x, T* y, Index columns);

/// The diagonal and lower triangle of a symmetric matrix in the same slices: of every group the
/// columns up to its last row. The values within a diagonal block of r x r are all stored.
template <typename T>
struct SymmetricGroups {
  Index rows = 0;
  std::array<SlicedGroups<T>, most_rows_in_group> groups;

  static SymmetricGroups from_csr(const Csr<T>& matrix, const KernelOptions& options);
  std::int64_t bytes() const;
};

/// Y = A X on the current stream from the lower triangle, a column of X at a time: a thread per
/// group of rows i sums a_ij x_j in registers, and adds sum_i a_ij x_i to y_j, j left of the group,
/// atomically, once for all its rows. Y is set to zero first. The order of the sums changes from
/// run to run. Cost: 2 nnz K; reads half of the matrix for each column.
template <typename T>
void symmetric_groups(SymmetricGroups<T>& a, const T* x, T* y, Index columns);

}  // namespace spsolve::cuda::multiply
