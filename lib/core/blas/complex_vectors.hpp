#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "core/scalar.hpp"
#include "core/short_vector.hpp"

// Everything here is inlined, so that nobody minds how such vectors would be handed over.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace spsolve::inline core::complex_vectors {

// Vectors of numbers as they lie in memory, complex ones with their parts side by side. A product
// with a complex number needs no other order of them: v u = v re u + (i v) im u, where i v is made
// once for all u that v is multiplied by.

/// Vectors of `reals` parts of numbers of T.
template <typename T, int reals>
using Parts = short_vectors::Vector<Real<T>, reals>;

/// Numbers of T in a vector of the processor.
template <typename T>
inline constexpr int in_register = short_vectors::register_bytes / static_cast<int>(sizeof(T));

template <typename T>
using Register = Parts<T, short_vectors::register_bytes / static_cast<int>(sizeof(Real<T>))>;

/// (im, re) of every (re, im).
template <typename V>
V swapped(const V& v) {
  return short_vectors::picked(v, [](auto k) { return k ^ std::size_t{1}; });
}

/// (-1, 1) in every pair, or (1, -1): times swapped(v) it is i v, or -i v.
template <typename V>
V signs_of_turn(bool conjugate) {
  constexpr int reals = sizeof(V) / sizeof(std::declval<V>()[0]);
  V signs{};
  for (int i = 0; i < reals; ++i) signs[i] = (i % 2 == 0) == conjugate ? 1 : -1;
  return signs;
}

/// Numbers of T, real or complex, to be multiplied by others.
template <typename T, typename V = Register<T>>
struct Multiplicand {
  explicit Multiplicand(const V& v) : value(v) {
    if constexpr (is_complex<T>) turned = swapped(v) * signs_of_turn<V>(false);
  }

  V times(const T& u) const {
    if constexpr (is_complex<T>) {
      return value * u.real() + turned * u.imag();
    } else {
      return value * u;
    }
  }
  void subtract_from(V& sum, const T& times_u) const {
    if constexpr (is_complex<T>) {
      sum -= value * times_u.real();
      sum -= turned * times_u.imag();
    } else {
      sum -= value * times_u;
    }
  }

  V value;
  [[no_unique_address]] std::conditional_t<is_complex<T>, V, std::tuple<>> turned;
};

}  // namespace spsolve::core::complex_vectors
