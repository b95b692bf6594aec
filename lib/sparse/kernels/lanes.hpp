#pragma once

#include <utility>

#include "core/short_vector.hpp"
#include "core/types.hpp"

// Everything here is inlined, so that nobody minds how such vectors would be handed over.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace spsolve::inline sparse::vector_sweeps {

// Eight values at a time, in the processor's vectors: in one of its own where it has such wide
// ones, in several else.

inline constexpr Index lanes = 8;

template <typename T>
using Lanes = short_vectors::Vector<T, lanes>;

template <typename T>
Lanes<T> load(const T* from) {
  return short_vectors::load<Lanes<T>>(from);
}

/// The first `count` values, and 0 after them.
template <typename T>
Lanes<T> load(const T* from, Index count) {
  Lanes<T> v{};
  for (Index i = 0; i < count; ++i) v[i] = from[i];
  return v;
}

template <typename T>
void store(const Lanes<T>& v, T* to) {
  short_vectors::store(to, v);
}

template <typename T>
void store(const Lanes<T>& v, T* to, Index count) {
  for (Index i = 0; i < count; ++i) to[i] = v[i];
}

/// v_j in every lane.
template <int j, typename V>
V repeated(const V& v) {
  return __builtin_shufflevector(v, v, j, j, j, j, j, j, j, j);
}

/// v below lane j, and from j on 0; v above lane j, and up to j 0.
template <int j, typename V>
V below(const V& v) {
  constexpr auto from = [](int lane) { return lane < j ? lane : lane + 8; };
  return __builtin_shufflevector(v, V{}, from(0), from(1), from(2), from(3), from(4), from(5),
                                 from(6), from(7));
}
template <int j, typename V>
V above(const V& v) {
  constexpr auto from = [](int lane) { return lane > j ? lane : lane + 8; };
  return __builtin_shufflevector(v, V{}, from(0), from(1), from(2), from(3), from(4), from(5),
                                 from(6), from(7));
}

/// Calls work with the constants 0 ... count - 1, one after another.
template <int count, typename Work>
void unrolled(const Work& work) {
  [&]<int... j>(std::integer_sequence<int, j...>) {
    (work(std::integral_constant<int, j>{}), ...);
  }
  (std::make_integer_sequence<int, count>{});
}

/// Calls work with the constants count - 1 ... 0, one after another.
template <int count, typename Work>
void unrolled_down(const Work& work) {
  unrolled<count>([&](auto j) { work(std::integral_constant<int, count - 1 - j>{}); });
}

/// An 8 x 8 matrix of column vectors becomes one of row vectors.
template <typename V>
void transpose(V* m) {
  V half[8], quarter[8];
  unrolled<4>([&](auto i) {
    half[2 * i] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    half[2 * i + 1] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  });
  unrolled<2>([&](auto g) {
    unrolled<2>([&](auto i) {
      const V &a = half[4 * g + i], &b = half[4 * g + i + 2];
      quarter[4 * g + i] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
      quarter[4 * g + i + 2] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    });
  });
  unrolled<4>([&](auto i) {
    const V &a = quarter[i], &b = quarter[i + 4];
    m[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
    m[i + 4] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
  });
}

/// The sum of each of eight vectors, in the order of the vectors.
template <typename V>
V sums_of(const V* m) {
  V pairs[4], fours[2];
  unrolled<4>([&](auto i) {
    const V &a = m[2 * i], &b = m[2 * i + 1];
    pairs[i] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14) +
               __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  });
  unrolled<2>([&](auto i) {
    const V &a = pairs[2 * i], &b = pairs[2 * i + 1];
    fours[i] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13) +
               __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
  });
  return __builtin_shufflevector(fours[0], fours[1], 0, 1, 2, 3, 8, 9, 10, 11) +
         __builtin_shufflevector(fours[0], fours[1], 4, 5, 6, 7, 12, 13, 14, 15);
}

}  // namespace spsolve::sparse::vector_sweeps
