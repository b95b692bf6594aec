#include "choice/krylov_first.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"

namespace spsolve::inline choice {

KrylovFirst::KrylovFirst(Iterates iteration, Eliminates elimination, BeforeDouble before_second,
                         bool negates)
    : iteration_(std::move(iteration)),
      elimination_(std::move(elimination)),
      before_second_(std::move(before_second)),
      negates_(negates) {
  begin();
}

void KrylovFirst::begin() {
  if (inverse_ != nullptr && !eliminated_) return;
  inverse_ = nullptr;
  Candidate candidate = iteration_();
  method_ = candidate.method;
  inverse_ = std::move(candidate.inverse);
  eliminated_ = false;
  facts_ = {};
}

void KrylovFirst::find_scaling(SystemMatrix& matrix, AutoSwitch wanted, Precision precision,
                               Equilibration& scaling) {
  begin();
  if (!negates_) return inverse_->find_scaling(matrix, wanted, precision, scaling);
  const auto rows = static_cast<std::size_t>(matrix.own().size());
  scaling = {true, std::vector<double>(rows, -1.0), std::vector<double>(rows, 1.0)};
}

void KrylovFirst::prepare(SystemMatrix& matrix, const Equilibration& scaling) {
  begin();
  matrix_ = &matrix;
  scaling_ = &scaling;
  inverse_->prepare(matrix, scaling);
}

std::unique_ptr<Vectors> KrylovFirst::try_iteration(const EliminationRun& run,
                                                    std::string& failure) {
  std::unique_ptr<Vectors> row_sums;
  EliminationRun trial = run;
  if (trial.first == nullptr) {
    const std::unique_ptr<Vectors> ones = matrix_->vectors(1);
    ones->fill(1);
    row_sums = matrix_->vectors(1);
    matrix_->bands().apply(*ones, *row_sums);
    trial.first = row_sums.get();
  }
  std::unique_ptr<Vectors> x;
  try {
    x = inverse_->eliminate(trial);
  } catch (const Error& error) {
    // Only failures of every rank are taken, as all must go on together.
    if (error.code() != ExitCode::not_trustworthy || error.scope() != Scope::every_rank) throw;
    failure = error.what();
    return nullptr;
  }
  failure = inverse_->facts().krylov->shortfall;
  return x;
}

std::unique_ptr<Vectors> KrylovFirst::eliminate(const EliminationRun& run) {
  std::string failure;
  std::unique_ptr<Vectors> x = try_iteration(run, failure);
  if (failure.empty()) return run.first != nullptr ? std::move(x) : nullptr;
  // The advice is left out, as it is followed here.
  failure = failure.substr(0, failure.find("; "));
  x = nullptr;
  inverse_ = nullptr;
  if (before_second_) before_second_(failure);
  Candidate candidate = elimination_(*matrix_, failure);
  const Method tried = std::exchange(method_, candidate.method);
  inverse_ = std::move(candidate.inverse);
  eliminated_ = true;
  inverse_->prepare(*matrix_, *scaling_);
  run.progress.restart("eliminating after all");
  EliminationRun second = run;
  second.checkpoints = nullptr;
  x = inverse_->eliminate(second);
  facts_ = inverse_->facts();
  facts_.instead = method_;
  if (negates_ && facts_.sparse && facts_.sparse->negative_pivots) {
    // Counted for -A.
    facts_.sparse->negative_pivots =
        matrix_->order() - *facts_.sparse->negative_pivots - facts_.sparse->missing_pivots;
  }
  facts_.notes.push_back(
      fmt::format("auto took {} first, and eliminated after all: {}", name(tried), failure));
  if (run.checkpoints != nullptr) {
    facts_.notes.push_back(
        fmt::format("{} keeps no checkpoints after an iteration", name(method_)));
  }
  return x;
}

}  // namespace spsolve::choice
