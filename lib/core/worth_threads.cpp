#include "core/worth_threads.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

namespace spsolve::inline core {

namespace {

constexpr std::int64_t millisecond = 1'000'000;

std::int64_t nanoseconds_now() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

/// Nanoseconds that one thread has waited for a processor so far: the second number of its file.
std::int64_t waited(int folder, const char* thread) {
  char path[64] = {}, text[96] = {};
  std::snprintf(path, sizeof path, "%.32s/schedstat", thread);
  const int file = openat(folder, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return 0;
  const std::string_view numbers(text, static_cast<std::size_t>(length));
  const std::size_t space = numbers.find(' ');
  std::int64_t value = 0;
  if (space != numbers.npos) {
    std::from_chars(numbers.data() + space + 1, numbers.data() + numbers.size(), value);
  }
  return value;
}

/// Of all threads of this process.
std::int64_t all_waited() {
  DIR* const folder = opendir("/proc/self/task");
  if (folder == nullptr) return 0;
  std::int64_t sum = 0;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] != '.') sum += waited(dirfd(folder), entry->d_name);
  }
  closedir(folder);
  return sum;
}

/// Whether the environment has threads sleep soon when they wait for their next loop, as
/// apps/waiting_threads.cpp has it say. They take nothing from others then, and others hardly keep
/// them waiting: with eight busy processes on two processors two threads get on faster than one.
bool threads_sleep_soon() {
  constexpr std::int64_t soon = 10000;  // turns, some 0.5 ms
  const char* const policy = std::getenv("OMP_WAIT_POLICY");
  if (policy != nullptr) return (policy[0] | ' ') == 'p';  // passive, in capitals or not
  const char* const turns = std::getenv("GOMP_SPINCOUNT");
  return turns != nullptr && turns[0] >= '0' && turns[0] <= '9' && std::atoll(turns) <= soon;
}

/// Looks how long threads waited, from time to time. When processors were busy it looks again
/// later, and still later each time that they are busy soon after they had been found free: with
/// one thread at work nobody may wait whom several would keep waiting.
class Lookout {
 public:
  bool busy() {
    if (nanoseconds_now() >= next_.load(std::memory_order_relaxed) &&
        !looks_.test_and_set(std::memory_order_acquire)) {
      look();
      looks_.clear(std::memory_order_release);
    }
    return busy_.load(std::memory_order_relaxed);
  }

 private:
  void look() {
    const std::int64_t now = nanoseconds_now();
    const std::int64_t waited = all_waited(), took = nanoseconds_now() - now;
    const double share = begun_ == 0 ? 0
                                     : static_cast<double>(waited - waited_) /
                                           static_cast<double>(std::max(now - begun_, shortest));
    if (busy_.load(std::memory_order_relaxed)) {
      if (share < share_when_free) {
        busy_.store(false, std::memory_order_relaxed);
        freed_ = now;
      }
    } else if (share > share_when_busy) {
      busy_.store(true, std::memory_order_relaxed);
      patience_ =
          now - freed_ < 4 * patience_ ? std::min(2 * patience_, longest_patience) : first_patience;
    }
    begun_ = now;
    waited_ = waited;
    const bool is_busy = busy_.load(std::memory_order_relaxed);
    next_.store(now + std::max(is_busy ? patience_ : shortest, 100 * took),
                std::memory_order_relaxed);
  }

  static constexpr double share_when_busy = 0.15, share_when_free = 0.03;
  static constexpr std::int64_t shortest = 10 * millisecond, first_patience = 50 * millisecond,
                                longest_patience = 2000 * millisecond;

  std::atomic_flag looks_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<bool> busy_{false};
  // Of who looks:
  std::int64_t begun_ = 0, waited_ = 0, freed_ = 0, patience_ = first_patience;
};

}  // namespace

double seconds_waited_for_processors() {
  return 1e-9 * static_cast<double>(all_waited());
}

bool processors_are_busy() {
  static Lookout lookout;
  static const bool sleep_soon = threads_sleep_soon();
  return !sleep_soon && lookout.busy();
}

}  // namespace spsolve::core
