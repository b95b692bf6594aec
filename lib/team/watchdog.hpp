#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "process/pulse.hpp"
#include "team/team.hpp"

namespace spsolve::inline team {

/// A rank as a watchdog of its host sees it.
struct WatchedRank {
  int rank = 0;
  std::string phase;     ///< and whether it waits for a GPU there
  bool waiting = false;  ///< for other ranks
  double still = 0;      ///< seconds since it last moved
  double silent = 0;     ///< seconds since its own watchdog last looked
};

/// The reason for which a watchdog ends all ranks.
struct Standstill {
  ExitCode code;
  std::string sentence;
};

/// The words of the watchdog of ranks[me], all of them on one host, where a rank that stopped is
/// given `patience` seconds:
///
/// - a rank whose process stands still altogether, its watchdog with it, whatever it was doing: the
///   watchdogs of the other ranks say so, one second after another;
/// - a rank that computes, reads or writes and has not moved for so long: its own watchdog says so
///   first, and then those of the other ranks;
/// - all of them waiting for twice as long: for ranks of other hosts whose watchdogs are gone too,
///   or for each other.
///
/// A rank that waits for others and lives is never to blame for itself.
std::optional<Standstill> standstill(std::span<const WatchedRank> ranks, std::size_t me,
                                     double patience);

/// While it lives, a thread concurrent with the work sees to it that no rank waits for ever: where
/// a rank makes no step for `seconds`, one message names the rank, its host and its phase, and all
/// ranks end; last words are left (process/last_words.hpp). Ranks of one host see each other, so
/// that a process that stands still altogether is named, too. Steps are the beginning of a phase, a
/// step of an elimination, every exchange with other ranks and every wait for a GPU that ends.
/// Collective.
class Watchdog {
 public:
  /// 0 seconds: nobody watches.
  Watchdog(Team& team, int seconds);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void watch(const std::stop_token& stop);
  std::vector<WatchedRank> look();

  using Clock = std::chrono::steady_clock;
  struct LastSeen {
    std::uint64_t moves = 0, looks = 0;
    Clock::time_point moved = Clock::now(), looked = moved;
  };

  Team& team_;
  double patience_;
  std::span<Pulse> pulses_;  // of the host's ranks, or this one's alone
  std::size_t me_ = 0;
  std::vector<LastSeen> last_;
  Clock::time_point last_look_ = Clock::now();
  std::jthread thread_;
};

}  // namespace spsolve::team
