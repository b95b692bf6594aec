#pragma once

#include <type_traits>

#include "cuda/multiply/fast/groups/grouped_slices.hpp"

namespace spsolve::cuda::inline multiply {

/// SlicedGroups as kernels take them; Column is LocalIndex, or 16 bits wide and counted from the
/// first row.
template <typename T, typename Column>
struct GroupView {
  Index count;
  const Index* slice_offsets;
  const LocalIndex* rows;
  const LocalIndex* lengths;
  const Column* columns;
  const T* values;
};

/// Calls work(view) with the view of `a` that fits its columns, unless it is empty.
template <typename T, typename Work>
void with_view(const SlicedGroups<T>& a, Work work) {
  if (a.count == 0) return;
  const auto view_with = [&](const auto* columns) {
    using Column = std::remove_cvref_t<decltype(*columns)>;
    work(GroupView<T, Column>{a.count, a.slice_offsets.data(), a.rows.data(), a.lengths.data(),
                              columns, a.values.data()});
  };
  if (a.columns.size() > 0) {
    view_with(a.columns.data());
  } else {
    view_with(a.narrow_columns.data());
  }
}

}  // namespace spsolve::cuda::multiply
