#pragma once

#include <cstdint>
#include <type_traits>

#include "core/blas/complex_vectors.hpp"
#include "multiply/fast/fast_rows.hpp"

// Sums over entries of one number, or of two: the parts of a complex one. What a complex a does to
// the pair (re x, im x) is the sum of re a and im a times it, whose halves trade places at the end
// of a row: two multiplications for a register of X, which the loads of its parts do not outweigh.

namespace spsolve::inline multiply::fast {

/// Rows of that many parts that lie side by side in a register.
template <typename T, int parts>
inline constexpr int rows_side_by_side = lanes<T> / parts;

/// The pairs of x at the first `count` (1 ... half the lanes) columns, and zeros.
template <typename T, typename Column>
[[gnu::always_inline]] inline Vector<T, lanes<T>> gather_pairs(const T* x, const Column* columns,
                                                               Index count) {
  constexpr int pairs = lanes<T> / 2;
  const auto at = [&](int k) __attribute__((always_inline)) {
    return x + 2 * static_cast<Index>(columns[k]);
  };
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  if constexpr (sizeof(T) == 8) {
    const auto pair = [&](int k) __attribute__((always_inline)) {
      return k < count ? _mm_loadu_pd(at(k)) : _mm_setzero_pd();
    };
    const __m256d low = _mm256_insertf128_pd(_mm256_castpd128_pd256(pair(0)), pair(1), 1);
    const __m256d high = _mm256_insertf128_pd(_mm256_castpd128_pd256(pair(2)), pair(3), 1);
    return _mm512_maskz_insertf64x4(0xff, _mm512_castpd256_pd512(low), high, 1);
  }
#endif
  if constexpr (sizeof(T) == 4) {
    // A pair of floats moves as one double.
    Vector<double, pairs> all{};
#pragma GCC unroll 8
    for (int k = 0; k < pairs; ++k) {
      double pair = 0;
      if (k < count) std::memcpy(&pair, at(k), sizeof(pair));
      all[k] = pair;
    }
    return std::bit_cast<Vector<T, lanes<T>>>(all);
  } else {
    Vector<T, lanes<T>> all{};
#pragma GCC unroll 8
    for (int k = 0; k < pairs; ++k) {
      if (k >= count) break;
      all[2 * k] = at(k)[0];
      all[2 * k + 1] = at(k)[1];
    }
    return all;
  }
}

/// The sums of rows side by side, entry by entry: values of an entry lie next to each other.
template <typename T, int parts>
struct LaneSums {
  using V = Vector<T, lanes<T>>;
  V sum = {};

  template <typename Column>
  [[gnu::always_inline]] void add(const T* values, const T* x, const Column* columns) {
    fetch_values_ahead(values);
    sum += load<V>(values) * gather(x, columns);
  }
  /// Of the first `count` rows.
  template <typename Column>
  [[gnu::always_inline]] void add_first(const T* values, const T* x, const Column* columns,
                                        Index count) {
    sum += load_first(values, count) * gather_first(x, columns, count);
  }
  void add(const LaneSums& others) { sum += others.sum; }
  V value(bool) const { return sum; }
};

template <typename T>
struct LaneSums<T, 2> {
  using V = Vector<T, lanes<T>>;
  V by_real = {}, by_imaginary = {};

  template <typename Column>
  [[gnu::always_inline]] void add(const T* values, const T* x, const Column* columns) {
    fetch_values_ahead(values);
    add(load<V>(values), gather_pairs(x, columns, rows_side_by_side<T, 2>));
  }
  template <typename Column>
  [[gnu::always_inline]] void add_first(const T* values, const T* x, const Column* columns,
                                        Index count) {
    add(load_first(values, 2 * count), gather_pairs(x, columns, count));
  }
  [[gnu::always_inline]] void add(const V& a, const V& pairs) {
    by_real += short_vectors::picked(a, [](auto k) { return k & ~std::size_t{1}; }) * pairs;
    by_imaginary += short_vectors::picked(a, [](auto k) { return k | std::size_t{1}; }) * pairs;
  }
  void add(const LaneSums& others) {
    by_real += others.by_real;
    by_imaginary += others.by_imaginary;
  }

  /// Pairs (re y, im y), or their conjugates.
  V value(bool conjugates) const {
    const V signs = complex_vectors::signs_of_turn<V>(false);
    const V pairs = by_real + signs * complex_vectors::swapped(by_imaginary);
    return conjugates ? pairs * -signs : pairs;
  }
};

/// y <- the sum of a row that is alone.
template <int parts, typename T, typename Column>
inline void dot_row(const T* values, const Column* columns, Index length, const T* x,
                    bool conjugates, T* y) {
  if constexpr (parts == 1) {
    T sum[1];
    dot_rows<1>(values, 0, columns, length, x, sum);
    *y = sum[0];
  } else {
    constexpr Index step = rows_side_by_side<T, 2>;
    LaneSums<T, 2> chains[2];
    Index k = 0;
    for (; k + 2 * step <= length; k += 2 * step) {
#pragma GCC unroll 2
      for (Index c = 0; c < 2; ++c) {
        chains[c].add(values + 2 * (k + c * step), x, columns + k + c * step);
      }
    }
    for (; k < length; k += step) {
      chains[0].add_first(values + 2 * k, x, columns + k, std::min(step, length - k));
    }
    chains[0].add(chains[1]);
    const auto pairs = chains[0].value(conjugates);
    y[0] = y[1] = 0;
    for (int lane = 0; lane < lanes<T>; ++lane) y[lane % 2] += pairs[lane];
  }
}

/// Stores past the caches where `streaming`, which whole registers alone can.
template <typename T, int width>
[[gnu::always_inline]] inline void store(T* to, const Vector<T, width>& vector, bool streaming) {
  if constexpr (can_stream && width == lanes<T>) {
    if (streaming) return stream(to, vector);
  }
  store(to, vector);
}

/// How sums of a row are written: with the opposite sign of imaginary parts, past the caches.
struct RowEnd {
  bool conjugates, streaming;
};

/// The sums of a row for the vectors of a block of columns.
template <typename T, int parts, int width, int count>
struct ColumnSums {
  using V = Vector<T, width>;
  static constexpr int rows_at_once = 1;
  V sum[count] = {};

  /// `x`: the entry's row of X, from the first column of the block on.
  [[gnu::always_inline]] void add(const T* value, const T* x, Index, Index last) {
#pragma GCC unroll 8
    for (int v = 0; v < count; ++v) {
      sum[v] += value[0] * load<V>(x + vector_start<width, count>(v, last));
    }
  }
  void add(const ColumnSums& others) {
    for (int v = 0; v < count; ++v) sum[v] += others.sum[v];
  }
  /// Asks for a row of X.
  static void fetch(const T*, Index, Index) {}
  [[gnu::always_inline]] void write(T* y, Index, Index last, RowEnd) const {
#pragma GCC unroll 8
    for (int v = 0; v < count; ++v) store(y + vector_start<width, count>(v, last), sum[v]);
  }
};

/// Rows of imaginary parts of X and Y lie `columns` behind those of real ones.
template <typename T, int width, int count>
struct ColumnSums<T, 2, width, count> {
  using V = Vector<T, width>;
  // As many sums as hide how long an addition takes.
  static constexpr int rows_at_once = count == 1 ? 2 : 1;
  V real_by_real[count] = {}, real_by_imaginary[count] = {};
  V imaginary_by_real[count] = {}, imaginary_by_imaginary[count] = {};

  [[gnu::always_inline]] void add(const T* value, const T* x, Index columns, Index last) {
#pragma GCC unroll 8
    for (int v = 0; v < count; ++v) {
      const Index start = vector_start<width, count>(v, last);
      const V real = load<V>(x + start), imaginary = load<V>(x + columns + start);
      real_by_real[v] += value[0] * real;
      real_by_imaginary[v] += value[0] * imaginary;
      imaginary_by_real[v] += value[1] * real;
      imaginary_by_imaginary[v] += value[1] * imaginary;
    }
  }
  void add(const ColumnSums& others) {
#pragma GCC unroll 8
    for (int v = 0; v < count; ++v) {
      real_by_real[v] += others.real_by_real[v];
      real_by_imaginary[v] += others.real_by_imaginary[v];
      imaginary_by_real[v] += others.imaginary_by_real[v];
      imaginary_by_imaginary[v] += others.imaginary_by_imaginary[v];
    }
  }
  [[gnu::always_inline]] static void fetch(const T* x, Index columns, Index last) {
#pragma GCC unroll 8
    for (int v = 0; v < count; ++v) {
      const Index start = vector_start<width, count>(v, last);
      __builtin_prefetch(x + start);
      __builtin_prefetch(x + columns + start);
    }
  }
  [[gnu::always_inline]] void write(T* y, Index columns, Index last, RowEnd end) const {
#pragma GCC unroll 8
    for (int v = 0; v < count; ++v) {
      const Index start = vector_start<width, count>(v, last);
      const V imaginary = real_by_imaginary[v] + imaginary_by_real[v];
      store<T, width>(y + start, real_by_real[v] - imaginary_by_imaginary[v], end.streaming);
      store<T, width>(y + columns + start, end.conjugates ? -imaginary : imaginary, end.streaming);
    }
  }
};

/// The sums of a row of so few columns that one vector has both of their parts: half as many as
/// ColumnSums has.
template <typename T, int width>
struct WholeRowSums {
  using V = Vector<T, width>;
  static constexpr int rows_at_once = rows_side_by_side<T, 2>;
  V by_real = {}, by_imaginary = {};

  [[gnu::always_inline]] void add(const T* value, const T* x, Index, Index) {
    const V row = load<V>(x);
    by_real += value[0] * row;
    by_imaginary += value[1] * row;
  }
  void add(const WholeRowSums& others) {
    by_real += others.by_real;
    by_imaginary += others.by_imaginary;
  }
  [[gnu::always_inline]] static void fetch(const T* x, Index, Index) { __builtin_prefetch(x); }
  [[gnu::always_inline]] void write(T* y, Index, Index, RowEnd end) const {
    V signs;
    for (int k = 0; k < width; ++k) signs[k] = k < width / 2 ? -1 : 1;
    V row = by_real +
            signs * short_vectors::picked(by_imaginary, [](auto k) { return k ^ (width / 2); });
    if (end.conjugates) row *= -signs;
    store<T, width>(y, row, end.streaming);
  }
};

/// Calls work.template operator()<width>() where both parts of K columns are a vector of that
/// width; whether they are.
template <typename T, typename Work>
inline bool with_whole_row(Index columns, Work&& work) {
  const auto tried = [&]<int width>() {
    if constexpr (width <= lanes<T>) {
      if (2 * columns == width) return work.template operator()<width>(), true;
    }
    return false;
  };
  return tried.template operator()<4>() || tried.template operator()<8>() ||
         tried.template operator()<16>();
}

}  // namespace spsolve::multiply::fast
