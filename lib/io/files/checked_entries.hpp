#pragma once

#include <limits>

#include "core/types.hpp"

namespace spsolve::inline io {

/// How many of a file's entries were looked at before a deadline.
struct CheckedEntries {
  Index seen = 0, all = 0;

  bool is_whole() const { return seen == all; }
};

/// Whether sums of so many values, none larger than `largest`, could leave the range of double.
inline bool sums_may_overflow(double largest, Index count) {
  return largest * static_cast<double>(count) > std::numeric_limits<double>::max();
}

}  // namespace spsolve::io
