#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/bench/table.hpp"
#include "core/timer.hpp"
#include "team/team.hpp"

namespace spsolve::bench {

struct SamplingOptions {
  int samples = 10;              ///< at least 1
  double sample_seconds = 2e-3;  ///< shortest sample; work that is shorter is repeated within one
  int repeats = 0;               ///< within a sample, where that is known already
};

/// Seconds of one run of some work.
struct Sampled {
  int repeats = 1;              ///< runs within each sample
  std::vector<double> samples;  ///< each divided by `repeats`
  /// Seconds of single runs that find nothing in the caches, from devices that can see to that.
  std::vector<double> cold_samples;
};

/// `run(n)` does some work n times and hands back the seconds that took by its own clock. The least
/// power of two for which that is long enough. Warm-up: once, then twice as often each time.
int repeats_for(const std::function<double(int)>& run, double sample_seconds);

/// Measures `run` so, or after a single run of warm-up where the repeats are known; runs of the
/// warm-up don't count.
Sampled sample(const std::function<double(int)>& run, const SamplingOptions& options);

/// One turn of a contender.
class Turn {
 public:
  Turn(int number, Row& into, Team& ranks) : round(number), row(into), team(ranks) {}

  const int round;  ///< from 1; 0 is one that does not count
  Row& row;         ///< what it is measured in
  Team& team;       ///< the ranks that take part in it

  /// A sample of that column; of several ranks' seconds the longest. Collective over `team`.
  void add(std::string_view column, double seconds);

  /// The last sample of that column.
  double latest(std::string_view column) const { return row.samples.find(column)->second.back(); }

  /// Runs `work` and adds its seconds, which begin when all ranks are ready. Collective.
  template <typename Work>
  void time(std::string_view column, Work&& work) {
    wait_for_all(team);
    const Timer timer;
    work();
    add(column, timer.seconds());
  }
};

/// Somebody who can be timed on the case of a contest.
struct Contender {
  Row row;                ///< name and labels, to which the contest adds figures
  bool all_ranks = true;  ///< whether all ranks share the work, or rank 0 is alone with it
  /// One turn: converts, factors, solves, multiplies, and adds the seconds of its phases to the
  /// row. An error that it throws is a refusal. It holds what lasts from turn to turn.
  std::function<void(Turn&)> turn;
};

/// How a contest goes.
struct Rules {
  std::string where;  ///< the case, in lines of progress
  int rounds = 1;
  bool warm_up = false;  ///< whether a round before them does not count
  bool strict = false;   ///< whether a refusal ends the contest, and its error is thrown
  bool brief = false;    ///< whether lines of progress are of last turns alone
  std::function<void()> each_round{};
  /// Gets a line after each turn, on rank 0.
  std::function<void(const std::string&)> tell = tell_on_stderr;

  static void tell_on_stderr(const std::string& line);
};

/// Lets all contenders take turns: in every round each has one, in the opposite order of the round
/// before, so that a machine's moods meet all of them alike. Who refuses once has no further turn,
/// and a row with its labels and the reason. What a contender holds goes after its last turn. Ranks
/// that have nothing to do sleep.
///
/// A failure on all ranks, or of a peer, is a refusal; what own code fails with on one of several
/// ranks, or as a defect, is thrown. Rows are the same on every rank but for what rank 0 was alone
/// with. Collective.
std::vector<Row> compete(Team& team, std::vector<Contender> contenders, const Rules& rules);

/// row[ratio] <- the least `seconds` of the row's rivals / own, among rows that were measured.
void compare(std::span<Row> rows, std::string_view seconds, std::string_view ratio,
             const std::function<bool(const Row& own, const Row& other)>& are_rivals);

}  // namespace spsolve::bench
