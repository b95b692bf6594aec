#include "team/watchdog.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <latch>
#include <mutex>
#include <utility>

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "process/last_words.hpp"
#include "process/system.hpp"

namespace spsolve::inline team {

namespace {

/// To the standard error at once, past the stream that the working thread may be using.
void say(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(STDERR_FILENO, text.data() + done, text.size() - done);
    if (count <= 0) return;
    done += static_cast<std::size_t>(count);
  }
}

}  // namespace

std::optional<Standstill> standstill(std::span<const WatchedRank> ranks, std::size_t me,
                                     double patience) {
  bool all_wait = true;
  double longest = 0, shortest = 2 * patience + static_cast<double>(me);
  const double turn = static_cast<double>(me) + 1;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (i == me || ranks[i].silent < patience + turn) continue;
    return Standstill{
        ExitCode::resources,
        fmt::format("rank {} has stood still altogether for {:.0f} s in phase {}: its process was "
                    "stopped, or gets no processor; let it run, or raise run.watchdog",
                    ranks[i].rank, ranks[i].silent, ranks[i].phase)};
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const WatchedRank& one = ranks[i];
    all_wait = all_wait && one.waiting && one.still >= shortest;
    longest = std::max(longest, one.still);
    if (one.waiting || one.still < patience + (i == me ? 0 : turn)) continue;
    return Standstill{
        ExitCode::resources,
        fmt::format("rank {} has not moved for {:.0f} s in phase {}; look at that host's disks, "
                    "memory and devices, or raise run.watchdog where such a step may take longer",
                    one.rank, one.still, one.phase)};
  }
  if (!all_wait) return std::nullopt;
  return Standstill{
      ExitCode::internal,
      fmt::format("rank {} and all other ranks of its host have waited for messages for {:.0f} s "
                  "in phase {}; a rank on another host is gone, the network is, or this is a "
                  "defect of spsolve",
                  ranks[me].rank, longest, ranks[me].phase)};
}

Watchdog::Watchdog(Team& team, int seconds) : team_(team), patience_(seconds) {
  if (seconds <= 0) return;
  pulse().rank = team.rank();
  const auto bytes = team.shared_on_host(sizeof(Pulse));
  if (bytes.empty()) {
    pulses_ = {&pulse(), 1};
  } else {
    // Zeroed memory is a Pulse that nobody has touched.
    pulses_ = {reinterpret_cast<Pulse*>(bytes.data()), bytes.size() / sizeof(Pulse)};
    me_ = static_cast<std::size_t>(team.rank_on_host());
    move_pulse(&pulses_[me_]);
  }
  pulse().watched = 1;
  last_.resize(pulses_.size());
  // Signals are for the thread that works.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  // Not before the C library has mapped what the thread allocates from, twice as much in passing:
  // the next look at the memory that a limit leaves is not to see it come and go.
  std::latch ready(1);
  thread_ = std::jthread([this, &ready](const std::stop_token& stop) {
    void* volatile first = std::malloc(1);
    std::free(first);
    ready.count_down();
    watch(stop);
  });
  ready.wait();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Watchdog::~Watchdog() {
  if (!thread_.joinable()) return;
  pulse().watched = 0;
  thread_.request_stop();
  thread_.join();
  move_pulse(nullptr);
}

std::vector<WatchedRank> Watchdog::look() {
  std::vector<WatchedRank> ranks;
  const auto now = Clock::now();
  const auto seconds_since = [now](Clock::time_point then) {
    return std::chrono::duration<double>(now - then).count();
  };
  pulse().looks.fetch_add(1, std::memory_order_relaxed);
  // A rank that was stopped itself, with its whole job maybe, knows nothing of the time between.
  const bool was_away = seconds_since(std::exchange(last_look_, now)) > patience_ / 2;
  for (std::size_t i = 0; i < pulses_.size(); ++i) {
    const Pulse& one = pulses_[i];
    LastSeen& last = last_[i];
    // One that has not begun, or has ended its work, keeps nobody waiting.
    const bool anew = was_away || one.watched == 0;
    if (const std::uint64_t moves = one.moves; moves != last.moves || anew) {
      last.moves = moves;
      last.moved = now;
    }
    if (const std::uint64_t looks = one.looks; looks != last.looks || anew) {
      last.looks = looks;
      last.looked = now;
    }
    ranks.push_back({one.rank, one.place(), one.waiting > 0, seconds_since(last.moved),
                     seconds_since(last.looked)});
  }
  return ranks;
}

void Watchdog::watch(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any sleep;
  const auto pause = std::chrono::duration<double>(std::min(1.0, patience_ / 4));
  int rounds = 0;  // while another one has told why all end
  for (;;) {
    std::unique_lock lock(mutex);
    sleep.wait_for(lock, stop, pause, [] { return false; });
    if (stop.stop_requested()) return;
    const auto ranks = look();
    const auto found = standstill(ranks, me_, patience_);
    if (!found) continue;
    // Until a launcher has ended the others, which may take it longer than a turn, they say nothing
    // more; each ends by itself all the same, but not while another one tells why.
    const auto someone = [this](std::int32_t has_told) {
      return std::ranges::any_of(pulses_, [=](const Pulse& one) { return one.told == has_told; });
    };
    constexpr int most_rounds = 6;
    if (someone(Pulse::telling) && ++rounds < most_rounds) continue;
    if (!someone(Pulse::telling) && !someone(Pulse::has_told)) {
      pulse().told = Pulse::telling;
      const std::string sentence =
          fmt::format("the watchdog of rank {} of {} on host {} ends all ranks: {}", team_.rank(),
                      team_.size(), host_name(), found->sentence);
      say("spsolve: " + sentence + "\n");
      leave_last_words(found->code, sentence);
    }
    pulse().told = Pulse::has_told;
    team_.abort(found->code);
  }
}

}  // namespace spsolve::team
