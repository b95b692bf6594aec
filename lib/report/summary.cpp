#include "report/summary.hpp"

#include <algorithm>
#include <cmath>

namespace spsolve {

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

std::string digits_text(double error) {
  if (!std::isfinite(error)) return "";
  constexpr double most = 16;
  const double digits = error > 0 ? std::clamp(std::round(-std::log10(error)), 0.0, most) : most;
  return digits < 1 ? ", no certain digit"
                    : fmt::format(", about {:.0f} digit{}", digits, digits == 1 ? "" : "s");
}

}  // namespace

double forward_error(const Trust& trust) {
  return std::isfinite(trust.estimate) ? trust.estimate : trust.bound;
}

std::string summary(const StepReport& step) {
  return fmt::format("{}: {}{}{}{}, {}", step.status, step.right_hand_side,
                     step.values.empty() ? "" : " with " + step.values,
                     step.solution.empty() ? "" : ", x in " + step.solution,
                     digits_text(step.forward_error),
                     step.earlier ? "by an earlier run" : seconds_text(step.seconds));
}

std::string summary(const SolveReport& report) {
  if (!report.steps.empty()) {
    const auto solved =
        std::ranges::count(report.steps, name(Verdict::solved), &StepReport::status);
    return fmt::format("{}: {} of {} systems, {}", report.status, solved, report.steps.size(),
                       seconds_text(report.longest("total")));
  }
  return fmt::format(
      "{}: {}{}, {}", report.status, where(report.configuration.output.solution, "x"),
      digits_text(forward_error(report.trust)), seconds_text(report.longest("total")));
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

}  // namespace spsolve
