#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <concepts>
#include <limits>

namespace spsolve::inline core {

/// The larger of two, or nan where one is.
constexpr double larger(double a, double b) {
  return a > b || a != a ? a : b;
}

/// `scale`, and the largest double where it overflowed: an error relative to it then comes out too
/// large rather than 0.
constexpr double finite_bound(double scale) {
  return std::min(scale, std::numeric_limits<double>::max());
}

/// residual / scale for two numbers >= 0, with 0 / 0 = 0: an exact zero equation is solved exactly.
/// Infinite where the quotient is not a finite number.
constexpr double relative_error(double residual, double scale) {
  if (residual == 0) return 0;
  const double value = residual / finite_bound(scale);
  return value <= std::numeric_limits<double>::max() ? value
                                                     : std::numeric_limits<double>::infinity();
}

/// `value`, infinite where it is a nan, so that a comparison never hides one.
template <std::floating_point T>
T infinite_if_nan(T value) {
  return std::isnan(value) ? std::numeric_limits<T>::infinity() : value;
}

/// most <- max(most, value), whichever threads do so; a nan is nothing.
inline void raise_to(double& most, double value) {
  const std::atomic_ref<double> place(most);
  double present = place.load(std::memory_order_relaxed);
  while (value > present && !place.compare_exchange_weak(present, value)) {
  }
}

}  // namespace spsolve::core
