#include "api/users_watch.hpp"

#include <algorithm>
#include <utility>

#include "team/team.hpp"

namespace spsolve {

UsersWatch::UsersWatch(OnStep on_step, Ranks ranks)
    : on_step_(std::move(on_step)), ranks_(std::move(ranks)) {}

void UsersWatch::begin() {
  ends_ = false;
  thrown_ = nullptr;
}

void UsersWatch::throw_users() {
  if (thrown_ != nullptr) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

bool UsersWatch::wants_end(const TaskStep& step) {
  const std::lock_guard lock(mutex_);
  if (!on_step_ || ends_) return ends_;
  try {
    ends_ = !on_step_({std::string(step.task), step.step, step.steps, step.fraction, step.seconds,
                       step.error.value_or(-1)});
  } catch (...) {
    ends_ = true;
    thrown_ = std::current_exception();
  }
  return ends_;
}

std::string UsersWatch::ended_at(const TaskStep& step, const std::string& by) {
  return fmt::format("stopped while {}, at step {}{}, as on_step{} asked", step.task, step.step,
                     step.steps > 0 ? fmt::format(" of {}", step.steps) : "", by);
}

void UsersWatch::tell(const TaskStep& step) {
  if (wants_end(step)) fail(ExitCode::interrupted, "{}", ended_at(step, ""));
}

void UsersWatch::tell_by_all(const TaskStep& step) {
  const std::vector<int> ends = all_gather(ranks_.team(), wants_end(step) ? 1 : 0);
  const auto first = std::ranges::find(ends, 1);
  if (first == ends.end()) return;
  const std::string by = ends.size() > 1 ? fmt::format(" of rank {}", first - ends.begin()) : "";
  fail_everywhere(ExitCode::interrupted, "{}", ended_at(step, by));
}

}  // namespace spsolve
