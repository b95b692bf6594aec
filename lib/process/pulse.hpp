#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace spsolve::inline process {

/// The signs of life that a rank shows while it works, for watchdogs (team/watchdog.hpp) of its
/// host's processes. It may lie in memory that they share, and is written by its own rank only.
struct Pulse {
  static constexpr std::size_t phase_words = 4;
  static constexpr std::int32_t telling = 1, has_told = 2;

  std::atomic<std::uint64_t> moves{0};     ///< grows with every step of the work
  std::atomic<std::uint64_t> looks{0};     ///< of its own watchdog
  std::atomic<std::int32_t> rank{0};       ///< in its team
  std::atomic<std::int32_t> waiting{0};    ///< above 0: for other ranks, in a call of Team
  std::atomic<std::int32_t> on_device{0};  ///< above 0: for work that was given to a GPU
  std::atomic<std::int32_t> watched{0};    ///< above 0: there is work that may be watched
  std::atomic<std::int32_t> told{0};       ///< whether its watchdog says why all ranks end, or has
  /// The name of the phase, eight characters a word, zeros after it.
  std::array<std::atomic<std::uint64_t>, phase_words> phase{};

  void set_phase(std::string_view name);
  std::string phase_name() const;

  /// The phase, and what this rank waits for in it where that is a GPU: for people.
  std::string place() const;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
                  std::atomic<std::int32_t>::is_always_lock_free,
              "processes share it");

/// This process's own.
Pulse& pulse();

/// From now on this process's pulse is `place`; null: one that nobody else sees. Its contents go
/// along. Not while other threads of this process work.
void move_pulse(Pulse* place);

/// A phase of a task begins.
void enter_phase(std::string_view name);

/// A step of a phase is done.
void note_move();

/// While it lives, this rank waits for others.
class WaitingForRanks {
 public:
  WaitingForRanks() { pulse().waiting.fetch_add(1, std::memory_order_relaxed); }
  ~WaitingForRanks() {
    pulse().moves.fetch_add(1, std::memory_order_relaxed);
    pulse().waiting.fetch_sub(1, std::memory_order_relaxed);
  }
  WaitingForRanks(const WaitingForRanks&) = delete;
  WaitingForRanks& operator=(const WaitingForRanks&) = delete;
};

/// While it lives, this rank waits for its GPU; with `for_ranks` for data that other ranks send
/// there as well, so that it is not the first to blame. It moves when the wait is over.
class WaitingForDevice {
 public:
  explicit WaitingForDevice(bool for_ranks) : for_ranks_(for_ranks ? 1 : 0) {
    pulse().on_device.fetch_add(1, std::memory_order_relaxed);
    pulse().waiting.fetch_add(for_ranks_, std::memory_order_relaxed);
  }
  ~WaitingForDevice() {
    pulse().moves.fetch_add(1, std::memory_order_relaxed);
    pulse().waiting.fetch_sub(for_ranks_, std::memory_order_relaxed);
    pulse().on_device.fetch_sub(1, std::memory_order_relaxed);
  }
  WaitingForDevice(const WaitingForDevice&) = delete;
  WaitingForDevice& operator=(const WaitingForDevice&) = delete;

 private:
  const std::int32_t for_ranks_;
};

}  // namespace spsolve::process
