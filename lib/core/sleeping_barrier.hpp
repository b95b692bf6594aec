#pragma once

#include <atomic>

namespace spsolve {

/// A barrier for the threads of a parallel region that is passed often, with little to do in
/// between: who waits looks for some microseconds whether it may go on and then sleeps. OpenMP's
/// own barriers spin for milliseconds by default (OMP_WAIT_POLICY), and where another process wants
/// the processor, each of them takes the time that the system gives to that one. What a thread
/// wrote before is there for all others behind it.
class SleepingBarrier {
 public:
  /// Waits until `threads` threads, the same number in every call, have come here.
  void wait(int threads) {
    const unsigned turn = turn_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads) {
      arrived_.store(0, std::memory_order_relaxed);
      turn_.store(turn + 1, std::memory_order_release);
      turn_.notify_all();
      return;
    }
    constexpr int looks = 200;
    for (int look = 0; look < looks; ++look) {
      if (turn_.load(std::memory_order_acquire) != turn) return;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    turn_.wait(turn, std::memory_order_acquire);
  }

 private:
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<unsigned> turn_{0};
};

}  // namespace spsolve
