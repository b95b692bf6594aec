#include "task/solve/systems_so_far.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "dense/eliminated_problem.hpp"
#include "process/log.hpp"
#include "report/summary.hpp"

namespace spsolve::inline task {

std::size_t SystemsSoFar::begin(const Config& config, SystemMatrix& matrix,
                                const std::vector<Step>& steps) {
  const std::filesystem::path& file = config.checkpoint.systems;
  if (file.empty()) return 0;
  const std::uint64_t sum = problem_of(matrix, {}, {}).matrix;
  std::vector<StepReport> earlier;
  together(team_, [&] {
    if (team_.rank() != 0) return;
    kept_.emplace(file, sum);
    if (config.checkpoint.resume == ResumeChoice::never) return;
    earlier = kept_->found(steps, report_.notes);
  });
  for (const StepReport& step : earlier) {
    list(step);
    for (const Verdict verdict : {Verdict::uncertain, Verdict::not_trustworthy}) {
      if (step.status == name(verdict)) worst_ = std::max(worst_, verdict);
    }
  }
  worst_ = broadcast_value(team_, worst_, 0);
  return static_cast<std::size_t>(broadcast_value(team_, std::ssize(earlier), 0));
}

void SystemsSoFar::list(const StepReport& told) {
  report_.steps.push_back(told);
  if (!told.solution.empty()) report_.files.push_back(told.solution);
  if (!told.failure.empty()) worst_ = Verdict::not_trustworthy;
  if (team_.rank() == 0) log_line(summary(told));
}

void SystemsSoFar::add(const Step& step, const StepReport& told) {
  list(told);
  together(team_, [&] {
    if (kept_) kept_->add(step, told);
  });
}

void SystemsSoFar::finish() {
  const std::vector<StepReport>& steps = report_.steps;
  const auto failed = [](const StepReport& step) { return !step.failure.empty(); };
  together(team_, [&] {
    if (team_.rank() != 0) return;
    const auto failures = std::ranges::count_if(steps, failed);
    const auto first = std::ranges::find_if(steps, failed);
    if (failures == std::ssize(steps)) {
      fail(ExitCode::not_trustworthy, "no system was solved; the first: {}", first->failure);
    }
    if (failures == 0) return;
    report_.notes.push_back(fmt::format("{} of {} systems failed, the first of them number {}: {}",
                                        failures, steps.size(), first - steps.begin() + 1,
                                        first->failure));
  });
  if (kept_) kept_->remove();
}

}  // namespace spsolve::task
