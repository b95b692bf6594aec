#pragma once

#include <atomic>
#include <vector>

#include "core/timer.hpp"
#include "sparse/fronts/checkpointable_fronts.hpp"
#include "sparse/fronts/schedule.hpp"

namespace spsolve::inline sparse {

/// Eliminates the fronts of a schedule that are not `done`, children before parents: below(s, lane)
/// those of its subtrees, side by side, and above(s) one after another those above; false ends the
/// walk. With a checkpointer it pauses where that wants to: no front is begun then, and those under
/// way are finished first, so that threads meet, each with what it has of a subtree.
template <typename Below, typename Above>
void walk_fronts(const Fronts& fronts, const Schedule& schedule, bool symmetric,
                 FrontCheckpointer* checkpointer, CheckpointableFronts& factors,
                 std::vector<char>& done, const Below& below, const Above& above) {
  std::atomic<bool> failed{false}, pauses{false};
  /// Whether front s is done.
  const auto eliminate = [&](LocalIndex s, const auto& work) {
    if (done[s] != 0) return true;
    if (checkpointer == nullptr) {
      if (!work()) failed = true;
      done[s] = 1;
      return !failed;
    }
    const double flops = front_flops(fronts, s, symmetric);
    if (!pauses && checkpointer->wants_pause(s, flops)) pauses = true;
    if (pauses) return false;
    const Timer timer;
    if (!work()) failed = true;
    if (failed) return false;
    done[s] = 1;
    checkpointer->done(factors, s, flops, timer.seconds());
    return true;
  };
  SubtreeWalk walk(schedule);
  std::size_t next = 0;  // of the fronts above
  for (;;) {
    walk.go_on([&](std::size_t i, int lane) {
      const LocalIndex root = schedule.subtrees[i];
      for (LocalIndex s = fronts.first_of_subtree[root]; s <= root; ++s) {
        if (failed || !eliminate(s, [&] { return below(s, lane); })) return false;
      }
      return true;
    });
    for (; next < schedule.upper.size() && !failed && !pauses; ++next) {
      const LocalIndex s = schedule.upper[next];
      if (!eliminate(s, [&] { return above(s); })) break;
    }
    if (failed) return;
    if (!pauses) break;
    checkpointer->pause(factors);
    pauses = false;
  }
  if (checkpointer != nullptr) checkpointer->finish(factors);
}

}  // namespace spsolve::sparse
