#pragma once

#include <array>

#include "cuda/core/device_array.hpp"
#include "cuda/multiply/fast/cut_rows.hpp"
#include "cuda/multiply/fast/groups/row_groups.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve::cuda::inline multiply {

/// A run of columns that the lanes of one item walk along: those of several groups of rows one
/// after another, or of a piece of a long row.
struct LaneItem {
  Index first;             ///< place of its first column, a multiple of lane_step
  LocalIndex columns;      ///< how many
  LocalIndex first_group;  ///< place in `destinations`
};

/// Columns that a lane takes at a time; items are padded to whole steps, and the padding is not
/// multiplied.
inline constexpr Index lane_step = 4;

/// Groups of r rows with one list of columns each, packed into items of about equal length. The
/// values of column k are at r k, ..., r k + r - 1; the last column of a group is stored with its
/// highest bit set.
template <typename T>
struct LaneGroups {
  DeviceArray<LaneItem> items;
  DeviceArray<LocalIndex> destinations;  ///< by group: its first row, or -1 - piece
  DeviceArray<LocalIndex> columns;
  DeviceArray<T> values;

  std::int64_t bytes() const {
    return items.bytes() + destinations.bytes() + columns.bytes() + values.bytes();
  }
};

/// LaneGroups of r rows at [r - 1]; rows far longer than the mean are cut into pieces, and empty
/// ones listed apart.
template <typename T>
struct GroupedLanes {
  Index rows = 0;
  bool spread = false;  ///< lanes with fewer columns each, and so more of them, pay
  std::array<LaneGroups<T>, most_rows_in_group> groups;
  CutRows<T> cut;
  DeviceArray<Index> empty_rows;

  static GroupedLanes from_csr(const Csr<T>& matrix, const KernelOptions& options);
  std::int64_t bytes() const;
};

/// Y = A X on the current stream, X and Y row-major in GPU memory. 4, 8 or 16 neighbouring lanes,
/// by K, walk along an item; each has 16 or 32 bytes of every row of X, which it reads once for all
/// rows of a group, and stores the sums where a group ends. Columns and values are copied to shared
/// memory ahead of their use; several rows of X are under way at a time, across the ends of rows.
/// Sums have a fixed order. Cost: 2 nnz K; the matrix is read once for every 512 bytes of a row
/// of X.
template <typename T>
void grouped_lanes(GroupedLanes<T>& a, const T* x, T* y, Index columns);

}  // namespace spsolve::cuda::multiply
