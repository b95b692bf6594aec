#include <type_traits>

#include "cuda/core/launch.cuh"
#include "cuda/core/packed.cuh"
#include "cuda/multiply/fast/fast_rows.hpp"

namespace spsolve::cuda::inline multiply {

namespace {

constexpr int block = 256;
constexpr int in_flight = 4;  // rows of X that a thread loads before it uses the first

// Long rows.

/// Sums of piece `blockIdx.x` for `width` columns from `first` on: lane groups of `width` threads
/// take every (block / width)-th non-zero.
template <int width, typename T>
__global__ void long_pieces(const Index* piece_offsets, Index pieces, const LocalIndex* indices,
                            const T* values, const T* x, T* sums_of_pieces, Index columns,
                            Index pass, Index pass_columns) {
  constexpr int groups = block / width;
  __shared__ T sums[block];
  const int place = threadIdx.x % width, group = threadIdx.x / width;
  const Index c = static_cast<Index>(blockIdx.y) * width + place;
  for (Index piece = blockIdx.x; piece < pieces; piece += gridDim.x) {
    T sum{};
    if (c < pass_columns) {
      const Index end = piece_offsets[piece + 1];
#pragma unroll 4
      for (Index k = piece_offsets[piece] + group; k < end; k += groups) {
        sum += values[k] * __ldg(x + static_cast<Index>(indices[k]) * columns + pass + c);
      }
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int half = groups / 2; half > 0; half /= 2) {
      if (group < half) sums[threadIdx.x] += sums[threadIdx.x + half * width];
      __syncthreads();
    }
    if (group == 0 && c < pass_columns) {
      sums_of_pieces[piece * long_row_columns + c] = sums[threadIdx.x];
    }
    __syncthreads();  // before the next sums
  }
}

template <typename T>
__global__ void add_long_rows(CutRowsView<T> cut, T* y, Index columns, Index pass,
                              Index pass_columns) {
  for (Index e = thread_index(); e < cut.count * pass_columns; e += thread_count()) {
    const Index row = e / pass_columns, c = e % pass_columns;
    T sum{};
    const Index end = cut.pieces[row + 1];
#pragma unroll 4
    for (Index piece = cut.pieces[row]; piece < end; ++piece) {
      sum += cut.sums[piece * long_row_columns + c];
    }
    y[cut.rows[row] * columns + pass + c] = sum;
  }
}

template <int width, typename T>
void launch_long_pieces(LongRows<T>& a, const T* x, Index columns, Index pass, Index pass_columns) {
  const dim3 grid(grid_for(a.cut.count, 1), grid_for(pass_columns, width));
  long_pieces<width><<<grid, block, 0, current_stream()>>>(
      a.piece_offsets.data(), a.cut.count, a.column_indices.data(), a.values.data(), x,
      a.cut.sums.data(), columns, pass, pass_columns);
  check_launch("multiply_long_rows");
}

// Sliced rows.

template <typename T>
struct SlicedView {
  Index rows;
  const Index* slice_offsets;
  const std::uint16_t* places;
  const LocalIndex* lengths;
  const LocalIndex* column_indices;
  const T* values;
};

template <int count, bool packed, typename T>
__global__ void __launch_bounds__(block) sliced(SlicedView<T> a, const T* __restrict__ x,
                                                T* __restrict__ y, Index columns, bool y_packed) {
  constexpr Index slice = SlicedRows<T>::slice, sigma = SlicedRows<T>::sigma;
  for (Index slot = thread_index(); slot < a.rows; slot += thread_count()) {
    const Index start = a.slice_offsets[slot / slice] + slot % slice;
    const LocalIndex* indices = a.column_indices + start;
    const T* values = a.values + start;
    const LocalIndex length = a.lengths[slot];
    T sums[count]{};
    LocalIndex j = 0;
    for (; j + in_flight <= length; j += in_flight) {
      LocalIndex column[in_flight];
      T value[in_flight], loaded[in_flight][count];
#pragma unroll
      for (int u = 0; u < in_flight; ++u) {
        column[u] = __ldcs(indices + slice * u);
        value[u] = __ldcs(values + slice * u);
      }
#pragma unroll
      for (int u = 0; u < in_flight; ++u) {
        load_columns<count, packed>(x + column[u] * columns, loaded[u]);
      }
#pragma unroll
      for (int u = 0; u < in_flight; ++u) {
#pragma unroll
        for (int c = 0; c < count; ++c) sums[c] += value[u] * loaded[u][c];
      }
      indices += slice * in_flight;
      values += slice * in_flight;
    }
    for (; j < length; ++j) {
      T loaded[count];
      load_columns<count, packed>(x + __ldcs(indices) * columns, loaded);
      const T value = __ldcs(values);
#pragma unroll
      for (int c = 0; c < count; ++c) sums[c] += value * loaded[c];
      indices += slice;
      values += slice;
    }
    T* const to = y + (slot / sigma * sigma + a.places[slot]) * columns;
    store_columns(to, sums, y_packed);
  }
}

template <int count, typename T>
void launch_sliced(const SlicedView<T>& a, const T* x, T* y, Index columns) {
  const unsigned grid = grid_for(a.rows, block);
  const bool y_packed = rows_aligned(y, columns, sizeof(T) * pack_of<T, count>);
  if (rows_aligned(x, columns, sizeof(T) * pack_of<T, count>)) {
    sliced<count, true><<<grid, block, 0, current_stream()>>>(a, x, y, columns, y_packed);
  } else {
    sliced<count, false><<<grid, block, 0, current_stream()>>>(a, x, y, columns, y_packed);
  }
  check_launch("sliced_rows");
}

}  // namespace

template <typename T>
void multiply_long_rows(LongRows<T>& a, const T* x, T* y, Index columns) {
  if (a.cut.count == 0) return;
  const CutRowsView<T> cut = a.cut.view(long_row_columns);
  for (Index pass = 0; pass < columns; pass += long_row_columns) {
    const Index pass_columns = std::min(long_row_columns, columns - pass);
    if (pass_columns == 1) {
      launch_long_pieces<1>(a, x, columns, pass, pass_columns);
    } else if (pass_columns <= 4) {
      launch_long_pieces<4>(a, x, columns, pass, pass_columns);
    } else if (pass_columns <= 8) {
      launch_long_pieces<8>(a, x, columns, pass, pass_columns);
    } else {
      launch_long_pieces<16>(a, x, columns, pass, pass_columns);
    }
    add_long_rows<<<grid_for(cut.count * pass_columns, block), block, 0, current_stream()>>>(
        cut, y, columns, pass, pass_columns);
    check_launch("multiply_long_rows");
  }
}

template <typename T>
void sliced_rows(SlicedRows<T>& a, const T* x, T* y, Index columns) {
  if (a.rows == 0) return;
  const SlicedView<T> view{a.rows,           a.slice_offsets.data(),  a.places.data(),
                           a.lengths.data(), a.column_indices.data(), a.values.data()};
  for (Index c = 0; c < columns;) {
    const Index left = columns - c;
    if (left >= 8) {
      launch_sliced<8>(view, x + c, y + c, columns);
      c += 8;
    } else if (left >= 4) {
      launch_sliced<4>(view, x + c, y + c, columns);
      c += 4;
    } else if (left == 3) {
      launch_sliced<3>(view, x + c, y + c, columns);
      c += 3;
    } else if (left == 2) {
      launch_sliced<2>(view, x + c, y + c, columns);
      c += 2;
    } else {
      launch_sliced<1>(view, x + c, y + c, columns);
      c += 1;
    }
  }
  multiply_long_rows(a.long_rows, x, y, columns);
}

SPSOLVE_INSTANTIATE_FUNCTION(multiply_long_rows)
SPSOLVE_INSTANTIATE_FUNCTION(sliced_rows)

}  // namespace spsolve::cuda::multiply
