#pragma once

#include "core/types.hpp"

namespace spsolve {

/// How many of a file's entries were looked at before a deadline.
struct CheckedEntries {
  Index seen = 0, all = 0;

  bool is_whole() const { return seen == all; }
};

}  // namespace spsolve
