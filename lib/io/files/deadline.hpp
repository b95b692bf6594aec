#pragma once

#include <limits>

#include "core/timer.hpp"

namespace spsolve::inline io {

/// A time from now on, for work that may be left undone.
class Deadline {
 public:
  /// Without an end.
  Deadline() = default;
  explicit Deadline(double seconds) : seconds_(seconds) {}

  double seconds_left() const { return seconds_ - timer_.seconds(); }
  bool is_over() const { return seconds_left() <= 0; }

 private:
  double seconds_ = std::numeric_limits<double>::infinity();
  Timer timer_;
};

}  // namespace spsolve::io
