#pragma once

#include <atomic>

namespace spsolve::inline core {

/// most <- max(most, value), whichever threads do so; a nan is nothing.
inline void raise_to(double& most, double value) {
  const std::atomic_ref<double> place(most);
  double present = place.load(std::memory_order_relaxed);
  while (value > present && !place.compare_exchange_weak(present, value)) {
  }
}

}  // namespace spsolve::core
