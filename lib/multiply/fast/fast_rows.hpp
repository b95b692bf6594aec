#pragma once

#include <type_traits>
#include <utility>

#include "multiply/fast/fast_vector.hpp"

// The inner loops of the fast host kernels: the sums of `rows` rows that share their columns. Row r
// holds values[r * stride + k] at columns[k], k < length.

namespace spsolve::inline multiply::fast {

/// Calls `work.template operator()<R>()`, R the number of rows at hand.
template <typename Work>
[[gnu::always_inline]] inline void for_row_count(int rows, Work&& work) {
  switch (rows) {
    case 1:
      return work.template operator()<1>();
    case 2:
      return work.template operator()<2>();
    case 3:
      return work.template operator()<3>();
    default:
      return work.template operator()<4>();
  }
}

/// Calls work(length), with a constant where the length of a row is 1 to 8: loops of few steps take
/// longer than what is in them.
template <typename Work>
[[gnu::always_inline]] inline void for_short_length(Index length, Work&& work) {
  const auto is_short = [&]<Index... shorter>(std::integer_sequence<Index, shorter...>)
      __attribute__((always_inline)) {
    return ((length == shorter + 1 && (work(std::integral_constant<Index, shorter + 1>()), true)) ||
            ...);
  };
  if (!is_short(std::make_integer_sequence<Index, 8>())) work(length);
}

/// The sums of sum_rows() of one vector of half a register, two non-zeros at a time in a whole one.
template <int rows, int width, typename T, typename Column, typename Columns, typename Ahead>
[[gnu::always_inline]] inline void sum_rows_by_pairs(const T* values, Index stride,
                                                     const Column* columns, Index length,
                                                     const T* x, Columns columns_of_x, Ahead ahead,
                                                     Vector<T, width> (&sum)[rows][1]) {
  using Pair = Vector<T, 2 * width>;
  constexpr int chains = rows <= 2 ? 2 : 1;
  Pair part[chains][rows] = {};
  const auto x_row = [&](Index k) __attribute__((always_inline)) {
    return x + static_cast<Index>(columns[k]) * columns_of_x;
  };
  const auto step = [&](Index k, Pair(&into)[rows]) __attribute__((always_inline)) {
    if (ahead > 0) {
      __builtin_prefetch(x_row(k + ahead));
      __builtin_prefetch(x_row(k + 1 + ahead));
    }
    const Pair x_pair = load_halves(x_row(k), x_row(k + 1));
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) into[r] += spread_pair(values + r * stride + k) * x_pair;
  };
  Index k = 0;
  for (; k + 2 * chains <= length; k += 2 * chains) {
#pragma GCC unroll 2
    for (int c = 0; c < chains; ++c) step(k + 2 * c, part[c]);
  }
  // Two branches for up to three non-zeros: a loop over them would be guessed wrong more often.
  if (chains == 2 && (length & 2) != 0) {
    step(k, part[0]);
    k += 2;
  }
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r) {
    if constexpr (chains == 2) part[0][r] += part[1][r];
    sum[r][0] = sum_of_halves<T, 2 * width>(part[0][r]);
  }
  if ((length & 1) != 0) {
    const auto x_last = load<Vector<T, width>>(x_row(k));
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) sum[r][0] += values[r * stride + k] * x_last;
  }
}

/// sum[r][v] = sum over k of a_rk X(columns[k], vector v of the block); x points to the block's
/// first column in row 0 of X, whose rows are `columns_of_x` long. Short sums are split into
/// independent chains, so that a sum does not wait for the one before it.
/// With ahead > 0, rows of X are fetched that many non-zeros before they are needed; the columns
/// must then be readable up to columns[length + ahead - 1]. Numbers may be constants.
template <int rows, int width, int count, typename T, typename Column, typename Columns,
          typename Last, typename Ahead>
[[gnu::always_inline]] inline void sum_rows(const T* values, Index stride, const Column* columns,
                                            Index length, const T* x, Columns columns_of_x,
                                            Last last, Ahead ahead,
                                            Vector<T, width> (&sum)[rows][count]) {
  using V = Vector<T, width>;
  if constexpr (count == 1 && is_half<T, width>) {
    return sum_rows_by_pairs<rows, width>(values, stride, columns, length, x, columns_of_x, ahead,
                                          sum);
  }
  constexpr int chains = rows * count >= 6 ? 1 : rows * count >= 3 ? 2 : 4;
  V part[chains][rows][count] = {};
  const auto step = [&](Index k, V(&into)[rows][count]) __attribute__((always_inline)) {
    const T* x_row = x + static_cast<Index>(columns[k]) * columns_of_x;
    if (ahead > 0) {
      const T* next = x + static_cast<Index>(columns[k + ahead]) * columns_of_x;
#pragma GCC unroll 8
      for (int v = 0; v < count; ++v) {
        __builtin_prefetch(next + vector_start<width, count>(v, last));
      }
    }
    V x_part[count];
#pragma GCC unroll 8
    for (int v = 0; v < count; ++v) {
      x_part[v] = load<V>(x_row + vector_start<width, count>(v, last));
    }
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
      const T value = values[r * stride + k];
#pragma GCC unroll 8
      for (int v = 0; v < count; ++v) into[r][v] += value * x_part[v];
    }
  };
  Index k = 0;
  for (; k + chains <= length; k += chains) {
#pragma GCC unroll 4
    for (int c = 0; c < chains; ++c) step(k + c, part[c]);
  }
  // Two branches for up to three non-zeros: a loop over them would be guessed wrong more often.
  if (chains == 4 && (length & 2) != 0) {
    step(k, part[0]);
    step(k + 1, part[1]);
    k += 2;
  }
  if (chains > 1 && (length & 1) != 0) step(k, part[0]);
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < count; ++v) {
      if constexpr (chains == 4) {
        sum[r][v] = (part[0][r][v] + part[1][r][v]) + (part[2][r][v] + part[3][r][v]);
      } else if constexpr (chains == 2) {
        sum[r][v] = part[0][r][v] + part[1][r][v];
      } else {
        sum[r][v] = part[0][r][v];
      }
    }
  }
}

/// Rows shorter than this are summed without vectors at K = 1: a gather and the sum over its lanes
/// cost more.
template <typename T>
inline constexpr Index shortest_vector_row = 8;

/// sum[r] = sum over k of a_rk x[columns[k]]: the case K = 1.
template <int rows, typename T, typename Column>
[[gnu::always_inline]] inline void dot_rows(const T* values, Index stride, const Column* columns,
                                            Index length, const T* x, T (&sum)[rows]) {
  using V = Vector<T, lanes<T>>;
  constexpr Index full = lanes<T>;
  if (length < shortest_vector_row<T>) {
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) sum[r] = 0;
    for (Index k = 0; k < length; ++k) {
      const T x_k = x[columns[k]];
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r) sum[r] += values[r * stride + k] * x_k;
    }
    return;
  }
  constexpr int chains = rows == 1 ? 2 : 1;
  V part[chains][rows] = {};
  Index k = 0;
  for (; k + chains * full <= length; k += chains * full) {
#pragma GCC unroll 2
    for (int c = 0; c < chains; ++c) {
      const V x_part = gather(x, columns + k + c * full);
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r) {
        const T* const own = values + r * stride + k + c * full;
        // Short streams side by side are none to the processor: values of the next rows are asked
        // for ahead.
        if constexpr (rows > 1) __builtin_prefetch(own + 2 * rows * stride);
        part[c][r] += load<V>(own) * x_part;
      }
    }
  }
  for (; k < length; k += full) {
    const Index count = std::min(full, length - k);
    const V x_part = gather_first(x, columns + k, count);
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
      part[0][r] += load_first(values + r * stride + k, count) * x_part;
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r) {
    if constexpr (chains == 2) part[0][r] += part[1][r];
    sum[r] = horizontal_sum<T, lanes<T>>(part[0][r]);
  }
}

}  // namespace spsolve::multiply::fast
