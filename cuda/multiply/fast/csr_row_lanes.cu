#include <type_traits>

#include "cuda/core/launch.cuh"
#include "cuda/core/nvtx.hpp"
#include "cuda/core/packed.cuh"
#include "cuda/multiply/fast/fast_rows.hpp"

namespace spsolve::cuda {

namespace {

constexpr int block = 128;
constexpr int in_flight = 4;  // non-zeros that a lane loads before it uses the first

/// `width` lanes per row; `count` of all `columns` columns of X.
template <int width, int count, bool packed, typename T>
__global__ void __launch_bounds__(block)
    row_lanes(CsrView<T> a, const T* __restrict__ x, T* __restrict__ y, Index columns,
              bool y_packed) {
  const int place = threadIdx.x % width;
  const Index stride = thread_count() / width;
  // The same number of turns for all lanes of a warp: all take part in the shuffles.
  for (Index first = thread_index() / warp_size * (warp_size / width); first < a.rows;
       first += stride) {
    const Index row = first + threadIdx.x % warp_size / width;
    const Index start = row < a.rows ? a.row_offsets[row] : 0;
    const Index end = row < a.rows ? a.row_offsets[row + 1] : 0;
    T sums[count]{};
    for (Index k = start + place; k < end; k += width * in_flight) {
      LocalIndex column[in_flight];
      T value[in_flight], loaded[in_flight][count];
#pragma unroll
      for (int u = 0; u < in_flight; ++u) {
        const bool active = k + u * width < end;
        column[u] = active ? __ldcs(a.column_indices + k + u * width) : -1;
        value[u] = active ? __ldcs(a.values + k + u * width) : T{};
      }
#pragma unroll
      for (int u = 0; u < in_flight; ++u) {
        if (column[u] >= 0) {
          load_columns<count, packed>(x + column[u] * columns, loaded[u]);
        } else {
#pragma unroll
          for (int c = 0; c < count; ++c) loaded[u][c] = T{};
        }
      }
#pragma unroll
      for (int u = 0; u < in_flight; ++u) {
#pragma unroll
        for (int c = 0; c < count; ++c) sums[c] += value[u] * loaded[u][c];
      }
    }
#pragma unroll
    for (int c = 0; c < count; ++c) sums[c] = sum_of_group<width>(sums[c]);
    if (place == 0 && row < a.rows) store_columns<count>(y + row * columns, sums, y_packed);
  }
}

template <int count, typename T>
void launch_row_lanes(const CsrView<T>& a, const T* x, T* y, Index columns) {
  const std::size_t alignment = sizeof(T) * pack_of<T, count>;
  const bool packed = rows_aligned(x, columns, alignment);
  const bool y_packed = rows_aligned(y, columns, alignment);
  const auto launch = [&](auto width) {
    const auto kernel = packed ? row_lanes<decltype(width)::value, count, true, T>
                               : row_lanes<decltype(width)::value, count, false, T>;
    kernel<<<grid_for(a.rows, block / width()), block, 0, current_stream()>>>(a, x, y, columns,
                                                                              y_packed);
  };
  // About in_flight non-zeros to a lane.
  const Index mean = a.nonzeros / a.rows;
  if (mean <= 2 * in_flight) {
    launch(std::integral_constant<int, 2>{});
  } else if (mean <= 4 * in_flight) {
    launch(std::integral_constant<int, 4>{});
  } else if (mean <= 8 * in_flight) {
    launch(std::integral_constant<int, 8>{});
  } else {
    launch(std::integral_constant<int, 16>{});
  }
  check_launch("csr_row_lanes");
}

}  // namespace

template <typename T>
void csr_row_lanes(LaneCsr<T>& a, const T* x, T* y, Index columns) {
  if (a.csr.rows == 0) return;
  const NvtxRange range("csr_row_lanes");
  for (Index c = 0; c < columns;) {
    const Index left = columns - c;
    if (left >= 4) {
      launch_row_lanes<4>(a.csr.view(), x + c, y + c, columns);
      c += 4;
    } else if (left == 3) {
      launch_row_lanes<3>(a.csr.view(), x + c, y + c, columns);
      c += 3;
    } else if (left == 2) {
      launch_row_lanes<2>(a.csr.view(), x + c, y + c, columns);
      c += 2;
    } else {
      launch_row_lanes<1>(a.csr.view(), x + c, y + c, columns);
      c += 1;
    }
  }
  multiply_long_rows(a.long_rows, x, y, columns);
}

template void csr_row_lanes(LaneCsr<float>&, const float*, float*, Index);
template void csr_row_lanes(LaneCsr<double>&, const double*, double*, Index);

}  // namespace spsolve::cuda
