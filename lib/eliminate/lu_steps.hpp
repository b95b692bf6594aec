#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/progress.hpp"
#include "core/timer.hpp"
#include "distribute/cyclic_rows.hpp"
#include "eliminate/blocked_band.hpp"

namespace spsolve {

// What the eliminations of a rank alone and of a team have in common.

/// Where a team that looks ahead has fewer rows a rank left, its updates no longer hide the
/// election of a panel that is wide; narrower ones than `wide` would only be more.
inline constexpr Index rows_that_hide_a_panel = 8192;
inline constexpr Index wide = 1024;

/// The panel that begins at column `first`. It ends with a cyclic block, which it need not begin
/// with where a checkpoint of other blocks went on; where steps wait for wide panels, with half a
/// block.
template <typename T>
Range panel_from(const CyclicRows& layout, const BlockedBand<T>& band, Index first) {
  const Index begin = first / layout.block * layout.block;
  const Index end = std::min(begin + layout.block, layout.rows);
  const Index middle = std::min(begin + layout.block / 2, end);
  const bool waits = band.overlaps() && layout.ranks > 1 && layout.block >= wide &&
                     layout.rows - first < rows_that_hide_a_panel * layout.ranks;
  return {first, waits && first < middle ? middle : end};
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
