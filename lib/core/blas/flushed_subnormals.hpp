#pragma once

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

namespace spsolve::inline core {

/// Subnormal numbers are zeros for this thread meanwhile, which take processors a hundred cycles
/// else, as operands and as results. Nothing changes on processors other than x86.
class FlushedSubnormals {
 public:
  /// `of_team`: this thread may be one that began in the state of its team's first thread; it is
  /// left as threads begin.
  explicit FlushedSubnormals(bool flushes = true, bool of_team = false) {
#ifdef __SSE2__
    const unsigned now = _mm_getcsr();
    after_ = of_team ? now & ~bits : now;
    _mm_setcsr(flushes ? now | bits : now & ~bits);
#else
    static_cast<void>(flushes);
    static_cast<void>(of_team);
#endif
  }
  ~FlushedSubnormals() {
#ifdef __SSE2__
    _mm_setcsr(after_);
#endif
  }
  FlushedSubnormals(const FlushedSubnormals&) = delete;
  FlushedSubnormals& operator=(const FlushedSubnormals&) = delete;

  /// Whether they are, for this thread.
  static bool here() {
#ifdef __SSE2__
    return (_mm_getcsr() & bits) == bits;
#else
    return false;
#endif
  }

 private:
#ifdef __SSE2__
  static constexpr unsigned bits = 0x8000 | 0x0040;  // results, operands
  unsigned after_ = 0;
#endif
};

}  // namespace spsolve::core
