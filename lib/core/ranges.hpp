#pragma once

#include <algorithm>

#include "core/types.hpp"

namespace spsolve::inline core {

/// The rows in both; if there are none, a range without rows that does not begin before either.
constexpr Range intersect(Range a, Range b) {
  const Index first = std::max(a.first, b.first);
  return {first, std::max(first, std::min(a.last, b.last))};
}

}  // namespace spsolve::core
