#include "cuda/core/nvtx.hpp"
#include "cuda/multiply/grouped_slices.hpp"
#include "cuda/multiply/launch.cuh"
#include "cuda/multiply/packed.cuh"

namespace spsolve::cuda {

namespace {

constexpr int block = 128;

template <typename T, typename Column>
struct GroupView {
  Index count;
  const Index* slice_offsets;
  const LocalIndex* rows;
  const LocalIndex* lengths;
  const Column* columns;
  const T* values;
};

/// A thread per group of `rows` rows; `count` of all `columns` columns of X. Where `symmetric`, the
/// lower triangle stands for both.
template <int rows, int count, bool packed, bool symmetric, typename T, typename Column>
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
    [[maybe_unused]] T own[symmetric ? rows : 1][count];
    if constexpr (symmetric) {
#pragma unroll
      for (int q = 0; q < rows; ++q) {
        load_columns<count, packed>(x + (first_row + q) * columns, own[q]);
      }
    }
    T sums[rows][count]{};
    const auto multiply = [&](LocalIndex column, const T(&value)[rows], const T(&loaded)[count]) {
#pragma unroll
      for (int q = 0; q < rows; ++q) {
#pragma unroll
        for (int c = 0; c < count; ++c) sums[q][c] += value[q] * loaded[c];
      }
      if constexpr (symmetric) {
        const Index target = sizeof(Column) == 2 ? column + first_row : column;
        if (target < first_row) {
#pragma unroll
          for (int c = 0; c < count; ++c) {
            T sum = value[0] * own[0][c];
#pragma unroll
            for (int q = 1; q < rows; ++q) sum += value[q] * own[q][c];
            atomicAdd(y + target * columns + c, sum);
          }
        }
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
      for (int u = 0; u < in_flight; ++u) multiply(column[u], value[u], loaded[u]);
      indices += slice * in_flight;
      values += slice * rows * in_flight;
    }
    for (; j < length; ++j) {
      T value[rows], loaded[count];
      const LocalIndex column = __ldcs(indices);
#pragma unroll
      for (int q = 0; q < rows; ++q) value[q] = __ldcs(values + slice * q);
      load_columns<count, packed>(from + column * columns, loaded);
      multiply(column, value, loaded);
      indices += slice;
      values += slice * rows;
    }
    T* const to = y + first_row * columns;
#pragma unroll
    for (int q = 0; q < rows; ++q) {
      if constexpr (symmetric) {
#pragma unroll
        for (int c = 0; c < count; ++c) atomicAdd(to + q * columns + c, sums[q][c]);
      } else {
        store_columns<count>(to + q * columns, sums[q], y_packed);
      }
    }
  }
}

template <bool symmetric, int rows, int count, typename T, typename Column>
void launch_view(const GroupView<T, Column>& view, const T* x, T* y, Index columns) {
  const std::size_t alignment = sizeof(T) * pack_of<T, count>;
  const auto kernel = rows_aligned(x, columns, alignment)
                          ? slices_kernel<rows, count, true, symmetric, T, Column>
                          : slices_kernel<rows, count, false, symmetric, T, Column>;
  kernel<<<grid_for(view.count, block), block, 0, current_stream()>>>(
      view, x, y, columns, rows_aligned(y, columns, alignment));
  check_launch(symmetric ? "symmetric_groups" : "grouped_slices");
}

template <bool symmetric, int count, typename Groups, typename T>
void launch_columns(const Groups& groups, const T* x, T* y, Index columns) {
  for_each_group_size([&]<int rows>() {
    const SlicedGroups<T>& a = groups[rows - 1];
    if (a.count == 0) return;
    const auto launch = [&](const auto* indices) {
      using Column = std::remove_cvref_t<decltype(*indices)>;
      const GroupView<T, Column> view{a.count,       a.slice_offsets.data(),
                                      a.rows.data(), a.lengths.data(),
                                      indices,       a.values.data()};
      launch_view<symmetric, rows, count>(view, x, y, columns);
    };
    if (a.columns.size() > 0) {
      launch(a.columns.data());
    } else {
      launch(a.narrow_columns.data());
    }
  });
}

/// All columns, up to 4 at a time.
template <bool symmetric, typename Groups, typename T>
void multiply_groups(const Groups& groups, const T* x, T* y, Index columns) {
  for (Index c = 0; c < columns;) {
    const Index left = columns - c;
    if (left >= 4) {
      launch_columns<symmetric, 4>(groups, x + c, y + c, columns);
      c += 4;
    } else if (left == 3) {
      launch_columns<symmetric, 3>(groups, x + c, y + c, columns);
      c += 3;
    } else if (left == 2) {
      launch_columns<symmetric, 2>(groups, x + c, y + c, columns);
      c += 2;
    } else {
      launch_columns<symmetric, 1>(groups, x + c, y + c, columns);
      c += 1;
    }
  }
}

}  // namespace

template <typename T>
void grouped_slices(GroupedSlices<T>& a, const T* x, T* y, Index columns) {
  const NvtxRange range("grouped_slices");
  multiply_groups<false>(a.groups, x, y, columns);
  multiply_long_rows(a.long_rows, x, y, columns);
}

template <typename T>
void symmetric_groups(SymmetricGroups<T>& a, const T* x, T* y, Index columns) {
  if (a.rows == 0) return;
  const NvtxRange range("symmetric_groups");
  CUDA_CHECK(cudaMemsetAsync(y, 0, static_cast<std::size_t>(a.rows * columns) * sizeof(T),
                             current_stream()));
  multiply_groups<true>(a.groups, x, y, columns);
}

template void grouped_slices(GroupedSlices<float>&, const float*, float*, Index);
template void grouped_slices(GroupedSlices<double>&, const double*, double*, Index);
template void symmetric_groups(SymmetricGroups<float>&, const float*, float*, Index);
template void symmetric_groups(SymmetricGroups<double>&, const double*, double*, Index);

}  // namespace spsolve::cuda
