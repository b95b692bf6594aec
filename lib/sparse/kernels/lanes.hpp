#pragma once

#include <cmath>
#include <type_traits>
#include <utility>

#include "core/scalar.hpp"
#include "core/short_vector.hpp"
#include "core/types.hpp"

// Everything here is inlined, so that nobody minds how such vectors would be handed over.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace spsolve::inline sparse::vector_sweeps {

// Eight values at a time, in the processor's vectors: in one of its own where it has such wide
// ones, in several else.

inline constexpr Index lanes = 8;

/// Eight values of a real T.
template <typename T>
using RealLanes = short_vectors::Vector<T, lanes>;

/// Eight complex values, their parts apart.
template <typename T>
struct ComplexLanes {
  RealLanes<T> re, im;

  ComplexLanes& operator+=(const ComplexLanes& v) { return *this = *this + v; }
  ComplexLanes& operator-=(const ComplexLanes& v) { return *this = *this - v; }
  ComplexLanes& operator*=(const ComplexLanes& v) { return *this = *this * v; }

  friend ComplexLanes operator+(const ComplexLanes& a, const ComplexLanes& b) {
    return {a.re + b.re, a.im + b.im};
  }
  friend ComplexLanes operator-(const ComplexLanes& a, const ComplexLanes& b) {
    return {a.re - b.re, a.im - b.im};
  }
  friend ComplexLanes operator*(const ComplexLanes& a, const ComplexLanes& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
};

template <typename T>
struct LanesOf {
  using type = RealLanes<T>;
};
template <typename T>
requires is_complex<T>
struct LanesOf<T> {
  using type = ComplexLanes<Real<T>>;
};
template <typename T>
using Lanes = typename LanesOf<T>::type;

/// Sets, and gets, lane i.
template <typename V, typename T>
void set_lane(V& v, Index i, const T& value) {
  if constexpr (is_complex<T>) {
    v.re[i] = value.real();
    v.im[i] = value.imag();
  } else {
    v[i] = value;
  }
}
template <typename T>
T lane(const Lanes<T>& v, Index i) {
  if constexpr (is_complex<T>) {
    return T(v.re[i], v.im[i]);
  } else {
    return v[i];
  }
}

/// `value` in every lane.
template <typename T>
Lanes<T> in_all_lanes(const T& value) {
  if constexpr (is_complex<T>) {
    return {value.real() - RealLanes<Real<T>>{}, value.imag() - RealLanes<Real<T>>{}};
  } else {
    return value - Lanes<T>{};
  }
}

template <typename T>
Lanes<T> load(const T* from) {
  if constexpr (is_complex<T>) {
    using R = Real<T>;
    const auto* parts = reinterpret_cast<const R*>(from);
    const auto a = short_vectors::load<RealLanes<R>>(parts),
               b = short_vectors::load<RealLanes<R>>(parts + lanes);
    return {__builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14),
            __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15)};
  } else {
    return short_vectors::load<Lanes<T>>(from);
  }
}

/// The first `count` values, and 0 after them.
template <typename T>
Lanes<T> load(const T* from, Index count) {
  Lanes<T> v{};
  for (Index i = 0; i < count; ++i) set_lane(v, i, from[i]);
  return v;
}

template <typename T>
void store(const Lanes<T>& v, T* to) {
  if constexpr (is_complex<T>) {
    using R = Real<T>;
    auto* parts = reinterpret_cast<R*>(to);
    short_vectors::store(parts, __builtin_shufflevector(v.re, v.im, 0, 8, 1, 9, 2, 10, 3, 11));
    short_vectors::store(parts + lanes,
                         __builtin_shufflevector(v.re, v.im, 4, 12, 5, 13, 6, 14, 7, 15));
  } else {
    short_vectors::store(to, v);
  }
}

template <typename T>
void store(const Lanes<T>& v, T* to, Index count) {
  for (Index i = 0; i < count; ++i) to[i] = lane<T>(v, i);
}

/// 1 / v of every lane; of complex ones by Smith's quotients, which neither over- nor underflow.
template <typename V>
V inverse_of(const V& v) {
  return 1 / v;
}
template <typename T>
ComplexLanes<T> inverse_of(const ComplexLanes<T>& v) {
  ComplexLanes<T> inverse;
  for (Index i = 0; i < lanes; ++i) {
    const T re = v.re[i], im = v.im[i];
    if (std::abs(re) >= std::abs(im)) {
      const T part = im / re, whole = re + im * part;
      inverse.re[i] = 1 / whole;
      inverse.im[i] = -part / whole;
    } else {
      const T part = re / im, whole = re * part + im;
      inverse.re[i] = part / whole;
      inverse.im[i] = -1 / whole;
    }
  }
  return inverse;
}

template <typename V>
inline constexpr bool has_parts = requires(V v) {
  v.re;
};

// Lanes are numbered by constants, which leave a shuffle, or by an int.

/// v_j in every lane.
template <typename J, typename V>
V repeated(J j, const V& v) {
  if constexpr (has_parts<V>) {
    return {repeated(j, v.re), repeated(j, v.im)};
  } else if constexpr (std::is_same_v<J, int>) {
    return v[j] - V{};
  } else {
    return __builtin_shufflevector(v, v, J::value, J::value, J::value, J::value, J::value, J::value,
                                   J::value, J::value);
  }
}

/// v below lane j, and from j on 0; v above lane j, and up to j 0.
template <typename J, typename V>
V below(J j, const V& v) {
  if constexpr (has_parts<V>) {
    return {below(j, v.re), below(j, v.im)};
  } else if constexpr (std::is_same_v<J, int>) {
    V kept = v;
    for (int i = j; i < lanes; ++i) kept[i] = 0;
    return kept;
  } else {
    constexpr auto from = [](int lane) { return lane < J::value ? lane : lane + 8; };
    return __builtin_shufflevector(v, V{}, from(0), from(1), from(2), from(3), from(4), from(5),
                                   from(6), from(7));
  }
}
template <typename J, typename V>
V above(J j, const V& v) {
  if constexpr (has_parts<V>) {
    return {above(j, v.re), above(j, v.im)};
  } else if constexpr (std::is_same_v<J, int>) {
    V kept = v;
    for (int i = 0; i <= j; ++i) kept[i] = 0;
    return kept;
  } else {
    constexpr auto from = [](int lane) { return lane > J::value ? lane : lane + 8; };
    return __builtin_shufflevector(v, V{}, from(0), from(1), from(2), from(3), from(4), from(5),
                                   from(6), from(7));
  }
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

template <typename T>
void transpose(ComplexLanes<T>* m) {
  RealLanes<T> re[8], im[8];
  unrolled<8>([&](auto i) { re[i] = m[i].re, im[i] = m[i].im; });
  transpose(re);
  transpose(im);
  unrolled<8>([&](auto i) { m[i] = {re[i], im[i]}; });
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

template <typename T>
ComplexLanes<T> sums_of(const ComplexLanes<T>* m) {
  RealLanes<T> re[8], im[8];
  unrolled<8>([&](auto i) { re[i] = m[i].re, im[i] = m[i].im; });
  return {sums_of(re), sums_of(im)};
}

}  // namespace spsolve::sparse::vector_sweeps
