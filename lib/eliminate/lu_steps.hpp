#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/progress.hpp"
#include "core/timer.hpp"
#include "distribute/cyclic_rows.hpp"
#include "eliminate/blocked_band.hpp"
#include "eliminate/panel_width.hpp"

namespace spsolve {

// What the eliminations of a rank alone and of a team have in common.

/// The panel that begins at column `first`. It ends with a cyclic block, which it need not begin
/// with where a checkpoint of other blocks went on; where steps wait for wide panels, with half a
/// block.
template <typename T>
Range panel_from(const CyclicRows& layout, const BlockedBand<T>& band, Index first) {
  const Index begin = first / layout.block * layout.block;
  const Index end = std::min(begin + layout.block, layout.rows);
  const Index middle = std::min(begin + layout.block / 2, end);
  const bool halved =
      band.overlaps() && halves_panels(layout.block, layout.rows - first, layout.ranks);
  return {first, halved && first < middle ? middle : end};
}

/// Of the flops of an elimination, those behind `done` of n columns.
inline double fraction_of_work(Index done, Index n) {
  return 1.0 - std::pow(1.0 - static_cast<double>(done) / n, 3);
}

inline void tell(Progress& progress, Index done, Index n) {
  progress.done(done, n, fraction_of_work(done, n));
}

/// The time of a rank, part by part.
class PartTimer {
 public:
  template <typename Work>
  void measure(double LuSeconds::*part, Work&& work) {
    const Timer timer;
    work();
    parts_.*part += timer.seconds();
  }

  /// What a band that overlaps knows better than who calls it.
  LuSeconds result(const std::optional<LuSeconds>& of_band) const {
    const double whole = whole_.seconds();
    LuSeconds parts = of_band.value_or(parts_);
    parts.wait = whole - parts.update - (of_band ? 0.0 : parts.exchange + parts.panel);
    return parts;
  }

 private:
  LuSeconds parts_;
  Timer whole_;
};

}  // namespace spsolve
