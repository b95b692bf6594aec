#pragma once

#include <algorithm>

#include "core/types.hpp"
#include "eliminate/options.hpp"

namespace spsolve {

/// Narrow panels while a matrix is small: their latency counts, not the update's rate. A GPU alone
/// eliminates inside a wide panel by halves, so that only the update's rate counts, and a small
/// matrix is one panel; among several the rows are dealt out in blocks of the same width.
inline Index panel_width(Index order, BandMemory memory, int ranks) {
  if (memory == BandMemory::host) return std::clamp<Index>(order / 16 / 8 * 8, 16, 128);
  if (ranks == 1) return order <= 2048 ? std::max<Index>(order, 1) : order < 25000 ? 512 : 1024;
  if (order < 2500) return 64;
  if (order >= 20000 * static_cast<Index>(ranks)) return 1024;
  return order < 6000 ? 128 : order < 20000 ? 256 : 512;
}

/// Whether updates of a team that looks ahead no longer hide the election of panels of `block`
/// columns, `rows` being left: panels half as wide pay then. Those narrower than 1024 columns would
/// only be more.
inline bool halves_panels(Index block, Index rows, int ranks) {
  constexpr Index rows_that_hide_a_panel = 8192, wide = 1024;
  return ranks > 1 && block >= wide && rows < rows_that_hide_a_panel * ranks;
}

}  // namespace spsolve
