#pragma once

#include <exception>
#include <functional>
#include <mutex>

#include "process/step_watch.hpp"
#include "spsolve/options.hpp"
#include "spsolve/ranks.hpp"

namespace spsolve {

/// Options::on_step on the ranks that solve.
class UsersWatch final : public StepWatch {
 public:
  using OnStep = std::function<bool(const SolverStep&)>;

  /// `on_step` may be empty on some of the ranks.
  UsersWatch(OnStep on_step, Ranks ranks);

  void tell(const TaskStep& step) override;
  void tell_by_all(const TaskStep& step) override;

  /// Runs `work`, which what on_step throws leaves as it was thrown.
  template <typename Work>
  void during(const Work& work) {
    begin();
    try {
      work();
    } catch (...) {
      throw_users();
      throw;
    }
  }

 private:
  void begin();
  void throw_users();
  /// Whether this rank's user wants an end.
  bool wants_end(const TaskStep& step);
  /// The sentence on a task that this rank, or the one of that number, has ended.
  static std::string ended_at(const TaskStep& step, const std::string& by);

  OnStep on_step_;
  Ranks ranks_;
  std::mutex mutex_;
  bool ends_ = false;
  std::exception_ptr thrown_;
};

}  // namespace spsolve
