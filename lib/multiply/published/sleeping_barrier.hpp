#pragma once

#include <atomic>
#include <climits>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace spsolve::inline multiply {

/// A barrier for the threads of a parallel region that is passed often, with little to do in
/// between: who waits looks for some microseconds whether it may go on and then sleeps. OpenMP's
/// own barriers spin for milliseconds by default (OMP_WAIT_POLICY), and where another process wants
/// the processor, each of them takes the time that the system gives to that one; a thread that
/// yields instead, as std::atomic::wait() does at first, gives it away as well. Whatever a thread
/// wrote before the barrier is there for all others after it.
class SleepingBarrier {
 public:
  /// Waits until `threads` threads, the same number in every call, have come here.
  void wait(int threads) {
    const unsigned turn = turn_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads) {
      arrived_.store(0, std::memory_order_relaxed);
      turn_.store(turn + 1);
      // Whoever went to sleep before sees no new turn, and is seen here, or the other way round.
      if (sleeping_.load() > 0) futex(FUTEX_WAKE_PRIVATE, INT_MAX);
      return;
    }
    for (int look = 0; look < looks; ++look) {
      if (turn_.load(std::memory_order_acquire) != turn) return;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    sleeping_.fetch_add(1);
    while (turn_.load() == turn) futex(FUTEX_WAIT_PRIVATE, turn);
    sleeping_.fetch_sub(1);
  }

 private:
  static constexpr int looks = 100;

  /// Sleeps while turn_ is `value`, or wakes so many; spurious returns are no harm.
  void futex(int operation, unsigned value) {
    static_assert(sizeof(std::atomic<unsigned>) == sizeof(unsigned));
    ::syscall(SYS_futex, reinterpret_cast<unsigned*>(&turn_), operation, value, nullptr, nullptr,
              0);
  }

  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<unsigned> turn_{0};
  std::atomic<int> sleeping_{0};
};

}  // namespace spsolve::multiply
