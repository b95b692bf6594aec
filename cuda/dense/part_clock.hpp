#pragma once

#include <deque>
#include <optional>

#include "cuda/core/stream.hpp"
#include "dense/lu/blocked_rows.hpp"

namespace spsolve::cuda::inline dense {

/// How long the parts of an elimination take on the GPU, by events around them. Begins and ends
/// alternate on each stream.
class PartClock {
 public:
  void begin(double LuSeconds::*part, const Stream& stream) {
    Interval& interval = intervals_.emplace_back();
    interval.part = part;
    interval.begin.record(stream);
    interval.stream = &stream;
  }

  void end(const Stream& stream) {
    for (auto interval = intervals_.rbegin(); interval != intervals_.rend(); ++interval) {
      if (interval->stream != &stream) continue;
      interval->end.record(stream);
      return;
    }
  }

  /// The sums over all intervals, which it waits for; wait is left at 0.
  LuSeconds seconds() const {
    LuSeconds sums;
    for (const Interval& interval : intervals_) {
      sums.*interval.part += interval.end.seconds_since(interval.begin);
    }
    return sums;
  }

 private:
  struct Interval {
    double LuSeconds::*part = nullptr;
    const Stream* stream = nullptr;
    Event begin, end;
  };
  std::deque<Interval> intervals_;  // events don't move
};

}  // namespace spsolve::cuda::dense
