#include "dense/mixed_inverse.hpp"

#include <utility>

#include "core/error.hpp"

namespace spsolve {

MixedInverse::MixedInverse(Make in_float, Make in_double, BeforeDouble before_double)
    : in_float_(std::move(in_float)),
      in_double_(std::move(in_double)),
      before_double_(std::move(before_double)) {
  facts_.mixed.emplace();
}

void MixedInverse::find_scaling(SystemMatrix& matrix, AutoSwitch wanted, Precision precision,
                                Equilibration& scaling) {
  if (factors_ == nullptr || facts_.mixed->fell_back) {
    factors_ = in_float_();
    facts_ = {};
    facts_.mixed.emplace();
  }
  factors_->find_scaling(matrix, wanted, precision, scaling);
}

void MixedInverse::prepare(SystemMatrix& matrix, const Equilibration& scaling) {
  matrix_ = &matrix;
  scaling_ = &scaling;
  if (factors_ == nullptr || facts_.mixed->fell_back) factors_ = in_float_();
  factors_->prepare(matrix, scaling);
  gmres_.emplace(matrix, scaling, *factors_);
}

std::unique_ptr<Vectors> MixedInverse::try_in_float(const EliminationRun& run,
                                                    std::string& failure) {
  try {
    // Solutions in float are of no use: GMRES makes them.
    factors_->eliminate({run.progress, run.checkpoints, nullptr});
  } catch (const Error& error) {
    // The same on every rank, as all must go on together.
    if (error.code() != ExitCode::not_trustworthy || error.scope() != Scope::every_rank) throw;
    failure = fmt::format("the elimination in float failed ({})", error.what());
    return nullptr;
  }
  GmresInverse::Trial trial = gmres_->try_out(run.first);
  const GmresOutcome& outcome = trial.outcome;
  facts_.mixed->steps = outcome.steps;
  if (!outcome.converged) {
    failure = fmt::format(
        "GMRES with the float factors stopped at a backward error of {:.1e} after {} steps, as the "
        "matrix is too ill-conditioned for float",
        outcome.backward_error, outcome.steps);
  } else {
    facts_.mixed->probe = gmres_->probe_factors();
  }
  return std::move(trial.x);
}

std::unique_ptr<Vectors> MixedInverse::eliminate(const EliminationRun& run) {
  facts_ = {};
  facts_.mixed.emplace();
  std::string failure;
  std::unique_ptr<Vectors> solution = try_in_float(run, failure);
  MixedOutcome outcome = *facts_.mixed;
  if (!failure.empty()) {
    solution = nullptr;
    gmres_.reset();
    factors_ = nullptr;
    if (before_double_) before_double_(failure);
    factors_ = in_double_();
    factors_->prepare(*matrix_, *scaling_);
    run.progress.restart("eliminating again, in double");
    solution = factors_->eliminate(run);
    outcome.fell_back = true;
  }
  facts_ = factors_->facts();
  facts_.mixed = outcome;
  if (outcome.fell_back) {
    facts_.notes.push_back(fmt::format(
        "eliminated in double after all: {}; solve.precision=double saves the attempt", failure));
  }
  return run.first != nullptr ? std::move(solution) : nullptr;
}

void MixedInverse::apply(const Vectors& x, Vectors& y) {
  gmres_ ? gmres_->apply(x, y) : factors_->apply(x, y);
}

void MixedInverse::apply_transposed(const Vectors& x, Vectors& y) {
  gmres_ ? gmres_->apply_transposed(x, y) : factors_->apply_transposed(x, y);
}

}  // namespace spsolve
