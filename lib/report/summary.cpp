#include "report/summary.hpp"

#include <algorithm>
#include <cmath>

namespace spsolve::inline report {

namespace {

/// Where a result is, "x in x.npy" or "x not written".
std::string where(const std::filesystem::path& file, std::string_view what) {
  if (file.empty()) return fmt::format("{} not written", what);
  return fmt::format("{} in {}", what, file == "-" ? "the standard output" : file.string());
}

std::string seconds_text(double seconds) {
  return seconds < 0.01 ? fmt::format("{:.2g} s", seconds)
         : seconds < 10 ? fmt::format("{:.2f} s", seconds)
                        : fmt::format("{:.0f} s", seconds);
}

/// How many digits of x are right for A and b as they are stored; and if these are rounded, where
/// a note counts the digits that are lost then.
std::string digits_text(double error, double condition) {
  if (!std::isfinite(error)) return "";
  const int digits = digits_right(error);
  if (digits < 1) return ", no certain digit";
  std::string text = fmt::format(", about {} digit{}", digits, digits == 1 ? "" : "s");
  const int left = digits_if_rounded(condition);
  if (std::isfinite(condition) && condition >= noteworthy_condition && left < digits) {
    text += fmt::format(" ({} if A and b are rounded)", left == 0 ? "none" : std::to_string(left));
  }
  return text;
}

}  // namespace

double forward_error(const Trust& trust) {
  return std::isfinite(trust.estimate) ? trust.estimate : trust.bound;
}

int digits_right(double error) {
  constexpr double most = digits_of_double;
  return static_cast<int>(error > 0 ? std::clamp(std::round(-std::log10(error)), 0.0, most) : most);
}

double condition_of(const std::optional<Condition>& condition) {
  return condition ? condition->componentwise : Trust::unknown;
}

std::string summary(const StepReport& step) {
  return fmt::format("{}: {}{}{}{}{}, {}", step.status, step.right_hand_side,
                     step.values.empty() ? "" : " with " + step.values,
                     step.solution.empty() ? "" : ", x in " + step.solution,
                     digits_text(step.forward_error, step.condition),
                     step.failure.empty() ? "" : ": " + step.failure,
                     step.earlier ? "by an earlier run" : seconds_text(step.seconds));
}

std::string summary(const SolveReport& report) {
  if (!report.steps.empty()) {
    const auto solved =
        std::ranges::count(report.steps, name(Verdict::solved), &StepReport::status);
    return fmt::format("{}: {} of {} systems, {}", report.status, solved, report.steps.size(),
                       seconds_text(report.longest("total")));
  }
  return fmt::format("{}: {}{}, {}", report.status,
                     where(report.configuration.output.solution, "x"),
                     digits_text(forward_error(report.trust), condition_of(report.condition)),
                     seconds_text(report.longest("total")));
}

std::string summary(const MultiplyReport& report) {
  return fmt::format("{}: {}, {} a product, {}", report.status,
                     where(report.configuration.output.product, "Y"),
                     seconds_text(report.product_seconds), seconds_text(report.longest("total")));
}

std::string summary(const Failure& failure) {
  const bool stopped = failure.code == ExitCode::interrupted;
  const std::string_view message = failure.message;
  return fmt::format("{}: {}", stopped ? "stopped" : "failed",
                     message.substr(0, message.find('\n')));
}

}  // namespace spsolve::report
