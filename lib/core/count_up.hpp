#pragma once

#include <atomic>

#include "core/types.hpp"

namespace spsolve {

/// counter++, whichever threads do so at the same time.
inline Index count_up(Index& counter) {
  return std::atomic_ref(counter).fetch_add(1, std::memory_order_relaxed);
}

}  // namespace spsolve
