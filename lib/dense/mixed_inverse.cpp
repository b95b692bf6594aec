#include "dense/mixed_inverse.hpp"

#include <utility>

#include <fmt/format.h>

namespace spsolve::inline dense {

MixedInverse::MixedInverse(Make in_float, Make in_double, BeforeDouble before_double)
    : IteratedInverse(std::move(in_float)),
      in_double_(std::move(in_double)),
      before_double_(std::move(before_double)) {}

std::unique_ptr<Vectors> MixedInverse::try_in_float(const EliminationRun& run,
                                                    std::string& failure) {
  failure = eliminate_first(run);
  if (!failure.empty()) {
    failure = fmt::format("the elimination in float failed ({})", failure);
    return nullptr;
  }
  GmresInverse::Trial trial = gmres_->validate(run.first);
  const GmresOutcome& outcome = trial.outcome;
  facts_.mixed->steps = outcome.steps;
  if (!outcome.converged) {
    failure = fmt::format(
        "GMRES with the float factors stopped at a backward error of {:.1e} after {} steps, as the "
        "matrix is too ill-conditioned for float",
        outcome.backward_error, outcome.steps);
  } else {
    facts_.probe = gmres_->probe_factors();
  }
  return std::move(trial.x);
}

std::unique_ptr<Vectors> MixedInverse::eliminate(const EliminationRun& run) {
  facts_ = {};
  facts_.mixed.emplace();
  std::string failure;
  std::unique_ptr<Vectors> solution = try_in_float(run, failure);
  MixedOutcome outcome = *facts_.mixed;
  const std::optional<Probe> probe = facts_.probe;
  if (!failure.empty()) {
    solution = nullptr;
    take_other(in_double_, [&] {
      if (before_double_) before_double_(failure);
    });
    run.progress.restart("eliminating again, in double");
    try {
      solution = factors().eliminate(run);
    } catch (const Error&) {
      facts_ = factors().facts();
      throw;
    }
    outcome.fell_back = true;
  }
  facts_ = factors().facts();
  facts_.mixed = outcome;
  facts_.probe = probe;
  if (outcome.fell_back) {
    facts_.notes.push_back(fmt::format(
        "eliminated in double after all: {}; solve.precision=double saves the attempt", failure));
  }
  return run.first != nullptr ? std::move(solution) : nullptr;
}

}  // namespace spsolve::dense
