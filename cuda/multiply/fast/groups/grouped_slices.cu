#include "cuda/core/launch.cuh"
#include "cuda/core/nvtx.hpp"
#include "cuda/core/packed.cuh"
#include "cuda/core/programmatic_launch.cuh"
#include "cuda/multiply/fast/groups/group_view.cuh"
#include "cuda/multiply/fast/groups/grouped_slices.hpp"

namespace spsolve::cuda::inline multiply {

namespace {

constexpr int block = 128;

/// A thread per group of `rows` rows; `count` of all `columns` columns of X.
template <int rows, int count, bool packed, typename T, typename Column>
__global__ void __launch_bounds__(block)
    slices_kernel(GroupView<T, Column> a, const T* __restrict__ x, T* __restrict__ y, Index columns,
                  bool y_packed) {
  constexpr int slice = static_cast<int>(SlicedGroups<T>::slice);
  constexpr int in_flight = rows * count <= 12 ? 4 : 2;
  for (Index slot = thread_index(); slot < a.count; slot += thread_count()) {
    const Index start = a.slice_offsets[slot / slice], lane = slot % slice;
    const Index first_row = a.rows[slot];
    const LocalIndex length = a.lengths[slot];
    const Column* indices = a.columns + start + lane;
    const T* values = a.values + start * rows + lane;
    // Narrow columns count from the first row.
    const T* const from = sizeof(Column) == 2 ? x + first_row * columns : x;
    T sums[rows][count]{};
    wait_for_previous_launch();
    const auto multiply = [&](const T(&value)[rows], const T(&loaded)[count]) {
#pragma unroll
      for (int q = 0; q < rows; ++q) {
#pragma unroll
        for (int c = 0; c < count; ++c) sums[q][c] += value[q] * loaded[c];
      }
    };
    LocalIndex j = 0;
    for (; j + in_flight <= length; j += in_flight) {
      LocalIndex column[in_flight];
      T value[in_flight][rows], loaded[in_flight][count];
#pragma unroll
      for (int u = 0; u < in_flight; ++u) {
        column[u] = __ldcs(indices + slice * u);
#pragma unroll
        for (int q = 0; q < rows; ++q) value[u][q] = __ldcs(values + slice * (rows * u + q));
      }
#pragma unroll
      for (int u = 0; u < in_flight; ++u) {
        load_columns<count, packed>(from + column[u] * columns, loaded[u]);
      }
#pragma unroll
      for (int u = 0; u < in_flight; ++u) multiply(value[u], loaded[u]);
      indices += slice * in_flight;
      values += slice * rows * in_flight;
    }
    for (; j < length; ++j) {
      T value[rows], loaded[count];
      const LocalIndex column = __ldcs(indices);
#pragma unroll
      for (int q = 0; q < rows; ++q) value[q] = __ldcs(values + slice * q);
      load_columns<count, packed>(from + column * columns, loaded);
      multiply(value, loaded);
      indices += slice;
      values += slice * rows;
    }
    trigger_next_launch();
    T* const to = y + first_row * columns;
#pragma unroll
    for (int q = 0; q < rows; ++q) {
      store_columns<count>(to + q * columns, sums[q], y_packed);
    }
  }
}

template <int rows, int count, typename T, typename Column>
void launch_view(const GroupView<T, Column>& view, const T* x, T* y, Index columns) {
  const std::size_t alignment = sizeof(T) * pack_of<T, count>;
  const auto kernel = rows_aligned(x, columns, alignment)
                          ? slices_kernel<rows, count, true, T, Column>
                          : slices_kernel<rows, count, false, T, Column>;
  launch_programmatic(kernel, grid_for(view.count, block), block, 0, true, current_stream(), view,
                      x, y, columns, rows_aligned(y, columns, alignment));
}

template <int count, typename Groups, typename T>
void launch_columns(const Groups& groups, const T* x, T* y, Index columns) {
  for_each_group_size([&]<int rows>() {
    with_view(groups[rows - 1],
              [&](const auto& view) { launch_view<rows, count>(view, x, y, columns); });
  });
}

/// All columns, up to 4 at a time.
template <typename Groups, typename T>
void multiply_groups(const Groups& groups, const T* x, T* y, Index columns) {
  for (Index c = 0; c < columns;) {
    const Index left = columns - c;
    if (left >= 4) {
      launch_columns<4>(groups, x + c, y + c, columns);
      c += 4;
    } else if (left == 3) {
      launch_columns<3>(groups, x + c, y + c, columns);
      c += 3;
    } else if (left == 2) {
      launch_columns<2>(groups, x + c, y + c, columns);
      c += 2;
    } else {
      launch_columns<1>(groups, x + c, y + c, columns);
      c += 1;
    }
  }
}

}  // namespace

template <typename T>
void grouped_slices(GroupedSlices<T>& a, const T* x, T* y, Index columns) {
  const NvtxRange range("grouped_slices");
  multiply_groups(a.groups, x, y, columns);
  multiply_long_rows(a.long_rows, x, y, columns);
}

SPSOLVE_INSTANTIATE_FUNCTION(grouped_slices)

}  // namespace spsolve::cuda::multiply
