#pragma once

#include <atomic>
#include <vector>

#include "core/timer.hpp"
#include "sparse/fronts/checkpointable_fronts.hpp"
#include "sparse/fronts/schedule.hpp"

namespace spsolve::inline sparse {

/// Eliminates the fronts of a schedule that are not `done`, children before parents: below(s, lane,
/// i) those of its i-th subtree, some side by side, left(i, lane) after the last of them, and
/// step(s) one after another the steps of all threads, of fronts that are done, too, where any adds
/// to all its ancestors; false ends the walk. With a checkpointer it pauses where that wants to: no
/// front is begun then, and those under way are finished first, so that threads meet, each with
/// what it has of a subtree.
template <typename Below, typename Left, typename Step>
void walk_fronts(const Fronts& fronts, const Schedule& schedule, bool symmetric,
                 FrontCheckpointer* checkpointer, CheckpointableFronts& factors,
                 std::vector<char>& done, const Below& below, const Left& left, const Step& step) {
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
  /// Whether the round came to its end.
  const auto finish_round = [&](std::size_t first_subtree, std::size_t subtrees_end,
                                std::size_t next, std::size_t steps_end) {
    SubtreeWalk walk(subtrees_end - first_subtree, schedule.threads);
    for (;;) {
      walk.go_on([&](std::size_t k, int lane) {
        const std::size_t i = first_subtree + k;
        const LocalIndex root = schedule.subtrees[i];
        for (LocalIndex s = fronts.first_of_subtree[root]; s <= root; ++s) {
          if (failed || !eliminate(s, [&] { return below(s, lane, i); })) return false;
        }
        left(i, lane);
        return true;
      });
      for (; next < steps_end && !failed && !pauses; ++next) {
        const LocalIndex s = schedule.steps[next];
        const bool has_block = !schedule.direct.empty() && done[s] != 0;
        if (has_block ? !step(s) : !eliminate(s, [&] { return step(s); })) break;
      }
      if (failed) return false;
      if (!pauses) return true;
      checkpointer->pause(factors);
      pauses = false;
    }
  };
  Schedule::Round before;
  for (const Schedule::Round& round : schedule.rounds) {
    if (!finish_round(before.subtrees_end, round.subtrees_end, before.steps_end, round.steps_end)) {
      return;
    }
    before = round;
  }
  if (checkpointer != nullptr) checkpointer->finish(factors);
}

}  // namespace spsolve::sparse
