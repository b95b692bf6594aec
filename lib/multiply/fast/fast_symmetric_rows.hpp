#pragma once

#include "multiply/fast/fast_vector.hpp"

// The inner loops of the symmetric products: `rows` rows that share `length` columns.

namespace spsolve::inline multiply::fast {

/// K = 1: sum[r] += sum over k of a_rk x[columns[k]], and y[columns[k]] += sum over r of a_rk
/// own_x[r]. The columns of a row are distinct, so that vectors of y may be gathered, added to and
/// scattered.
template <int rows, typename T, typename Column>
[[gnu::always_inline]] inline void mirror_dots(const T* values, Index stride, const Column* columns,
                                               Index length, const T* x, T* y,
                                               const T (&own_x)[rows], T (&sum)[rows]) {
  Index k = 0;
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  using V = Vector<T, lanes<T>>;
  constexpr Index shortest = 6;
  if (length >= shortest) {
    V part[rows] = {};
    while (k < length) {
      const Index count = std::min<Index>(lanes<T>, length - k);
      const V x_part = gather_first(x, columns + k, count);
      V mirrored = {};
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r) {
        const V row = load_first(values + r * stride + k, count);
        part[r] += row * x_part;
        mirrored += row * own_x[r];
      }
      scatter_add(y, columns + k, count, mirrored);
      k += count;
    }
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) sum[r] += horizontal_sum<T, lanes<T>>(part[r]);
  }
#endif
  for (; k < length; ++k) {
    const T x_k = x[columns[k]];
    T mirrored = 0;
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
      const T value = values[r * stride + k];
      sum[r] += value * x_k;
      mirrored += value * own_x[r];
    }
    y[columns[k]] += mirrored;
  }
}

/// Any K: the same for the vectors of a block of columns.
template <int rows, int width, int count, typename T, typename Column>
[[gnu::always_inline]] inline void mirror_sums(const T* values, Index stride, const Column* columns,
                                               Index length, const T* x, T* y, Index columns_of_x,
                                               Index last,
                                               const Vector<T, width> (&own_x)[rows][count],
                                               Vector<T, width> (&sum)[rows][count]) {
  using V = Vector<T, width>;
  for (Index k = 0; k < length; ++k) {
    const Index place = static_cast<Index>(columns[k]) * columns_of_x;
    V x_part[count], y_part[count];
#pragma GCC unroll 4
    for (int v = 0; v < count; ++v) {
      x_part[v] = load<V>(x + place + vector_start<width, count>(v, last));
      y_part[v] = load<V>(y + place + vector_start<width, count>(v, last));
    }
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
      const T value = values[r * stride + k];
#pragma GCC unroll 4
      for (int v = 0; v < count; ++v) {
        sum[r][v] += value * x_part[v];
        y_part[v] += value * own_x[r][v];
      }
    }
    // All vectors were loaded before the first is stored: they may overlap.
#pragma GCC unroll 4
    for (int v = 0; v < count; ++v) {
      store(y + place + vector_start<width, count>(v, last), y_part[v]);
    }
  }
}

}  // namespace spsolve::multiply::fast
