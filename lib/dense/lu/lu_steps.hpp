#pragma once

#include <algorithm>
#include <optional>

#include "core/timer.hpp"
#include "dense/lu/blocked_rows.hpp"
#include "dense/lu/panel_width.hpp"
#include "dense/state/flops.hpp"
#include "distribute/layout/row_layout.hpp"
#include "process/progress.hpp"

namespace spsolve::inline dense {

/// The panel that begins at column `first`. It ends with a cyclic block, which it need not begin
/// with where a checkpoint of other blocks went on; where steps wait for wide panels, with half a
/// block.
template <typename T>
Range panel_from(const RowLayout& layout, const BlockedRows<T>& rows, Index first) {
  const Index begin = first / layout.block * layout.block;
  const Index end = std::min(begin + layout.block, layout.rows);
  const Index middle = std::min(begin + layout.block / 2, end);
  const bool halved =
      rows.overlaps() && halves_panels(layout.block, layout.rows - first, layout.ranks);
  return {first, halved && first < middle ? middle : end};
}

inline void tell(Progress& progress, Index done, Index n) {
  progress.done_by_all(done, n, share_done(Method::lu, done, n));
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

  /// Where work overlaps, the rows know better than who calls them.
  LuSeconds result(const std::optional<LuSeconds>& of_rows) const {
    const double whole = whole_.seconds();
    LuSeconds parts = of_rows.value_or(parts_);
    parts.wait = whole - parts.update - (of_rows ? 0.0 : parts.exchange + parts.panel);
    return parts;
  }

 private:
  LuSeconds parts_;
  Timer whole_;
};

}  // namespace spsolve::dense
