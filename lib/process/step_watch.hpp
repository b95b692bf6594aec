#pragma once

#include <optional>
#include <string_view>

#include "core/types.hpp"

namespace spsolve::inline process {

/// A step of a long task.
struct TaskStep {
  std::string_view task;        ///< eliminating, iterating, ...
  Index step = 0, steps = 0;    ///< done, and in all, at most; 0: not known
  double fraction = 0;          ///< of the work that is done, from 0 to 1
  double seconds = 0;           ///< since the task began
  std::optional<double> error;  ///< backward error of an iteration
};

/// Somebody who is told of steps, and may end the task there by Error(interrupted).
class StepWatch {
 public:
  virtual ~StepWatch() = default;

  /// Tells of a step of this rank, from any thread, one at a time.
  virtual void tell(const TaskStep& step) = 0;

  /// Tells of a step of all ranks, each of which calls this: all of them end there, or none.
  /// Collective.
  virtual void tell_by_all(const TaskStep& step) = 0;
};

}  // namespace spsolve::process
