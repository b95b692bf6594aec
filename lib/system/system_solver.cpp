#include "system/system_solver.hpp"

#include <algorithm>

#include "distribute/redistribute.hpp"

namespace spsolve {

SystemSolver::SystemSolver(std::unique_ptr<SystemMatrix> matrix, const SolverRow& row,
                           const SolverQuestion& question, DenseMemory& memory,
                           BeforeDouble before_double)
    : matrix_(std::move(matrix)),
      row_(row),
      question_(question),
      inverse_(row.make(matrix_->team(), memory, question, std::move(before_double))) {}

EliminationChoice SystemSolver::choice() const {
  const std::optional<Method> instead = inverse_->facts().instead;
  if (!instead) return row_.choice(question_);
  SolverQuestion question = question_;
  question.options.method = *instead;
  question.keeps = false;
  return choose_solver(question).choice(question);
}

double SystemSolver::flops() const {
  return row_.analyse(question_).flops;
}

void SystemSolver::prepare() {
  first_ = nullptr;
  unscaled_.reset();
  estimates_ = of_transposed_ = {};
  inverse_->find_scaling(*matrix_, question_.options.equilibrate, question_.options.precision,
                         scaling_);
  inverse_->prepare(*matrix_, scaling_);
}

void SystemSolver::eliminate(Progress& progress, Checkpoints* checkpoints, const Vectors* b,
                             const Vectors* guess) {
  EliminationRun run{progress, checkpoints, b, guess};
  std::unique_ptr<Vectors> scaled, scaled_guess;
  if (b != nullptr && scaling_.scales) {
    scaled = copy_of(*b);
    scale_own_rows(*matrix_, scaling_.rows, *scaled);
    run.first = scaled.get();
  }
  if (guess != nullptr && scaling_.scales) {
    // x = C y
    std::vector<double> inverse = scaling_.columns.on_host();
    for (double& factor : inverse) factor = 1 / factor;
    scaled_guess = copy_of(*guess);
    scale_own_rows(*matrix_, inverse, *scaled_guess);
    run.guess = scaled_guess.get();
  }
  first_ = inverse_->eliminate(run);
  if (first_ != nullptr && scaling_.scales) scale_own_rows(*matrix_, scaling_.columns, *first_);
  unscaled_.emplace(ScaledOperator::unscaled(*inverse_, *matrix_, scaling_));
}

void SystemSolver::set_up() {
  prepare();
  Progress silent("eliminating", 1, Progress::Show::off);
  eliminate(silent);
}

void SystemSolver::apply(const Vectors& x, Vectors& y) {
  unscaled_->apply(x, y);
}

void SystemSolver::apply_transposed(const Vectors& x, Vectors& y) {
  unscaled_->apply_transposed(x, y);
}

SolveOutcome SystemSolver::solve(const Vectors& b, Vectors& x, PhaseTimes& times) {
  times.measure("gather", [&] {
    if (first_ != nullptr && first_->columns() == b.columns()) {
      copy(*first_, x);
    } else {
      inverse_->expect(SolvePurpose::solution);
      apply(b, x);
    }
    first_ = nullptr;
  });
  return finish(*matrix_, *this, b, x, estimates_, times);
}

SolveOutcome SystemSolver::solve_transposed(const Vectors& b, Vectors& x, PhaseTimes& times) {
  if (transposed_ == nullptr) {
    transposed_ =
        std::make_unique<SystemMatrix>(matrix_->team(), matrix_->layout(),
                                       transposed_rows(matrix_->team(), matrix_->layout(),
                                                       matrix_->layout(), matrix_->scaled_rows({})),
                                       matrix_->memory());
  }
  times.measure("gather", [&] {
    inverse_->expect(SolvePurpose::solution);
    apply_transposed(b, x);
  });
  Transposed inverse(*this);
  return finish(*transposed_, inverse, b, x, of_transposed_, times);
}

SolveOutcome SystemSolver::finish(SystemMatrix& matrix, LinearOperator& inverse, const Vectors& b,
                                  Vectors& x, Estimates& known, PhaseTimes& times) {
  SolveOutcome outcome;
  inverse_->expect(SolvePurpose::correction);
  // A Krylov method stops where it was told to, and where it got no further.
  const auto& krylov = inverse_->facts().krylov;
  const bool as_it_is = krylov && (!krylov->converged || question_.options.tolerance > 0);
  const int most_sweeps = as_it_is ? 0 : question_.options.refinement;
  outcome.refinement =
      times.measure("check", [&] { return refine(matrix, b, inverse, most_sweeps, x, space_); });
  space_.residual.finish();
  space_.correction.finish();
  const bool estimates = question_.options.condition && !is_singular();
  if (as_it_is && krylov->converged && !estimates) {
    // Nothing else tells how far x is off.
    times.measure("check", [&] {
      inverse_->expect(SolvePurpose::estimate);
      outcome.refinement.forward_error =
          std::max(unit_roundoff, relative_correction(matrix, b, inverse, x));
      inverse_->expect(SolvePurpose::correction);
    });
  }
  estimate_trust(matrix, inverse, b, x, known, times, outcome);
  return outcome;
}

void SystemSolver::estimate_trust(SystemMatrix& matrix, LinearOperator& inverse, const Vectors& b,
                                  const Vectors& x, Estimates& known, PhaseTimes& times,
                                  SolveOutcome& outcome) {
  // Factors that are worse than this say nothing about the condition of A.
  constexpr double largest_error = 1e-3;
  const double error = outcome.refinement.before.backward_error;
  const InverseFacts& facts = inverse_->facts();
  const bool fit = error <= largest_error && !(facts.krylov && !facts.krylov->converged);
  TrustFigures figures{.order = matrix.order(),
                       .method = choice().method,
                       .precision = question_.options.precision,
                       .float_factors = question_.options.precision == Precision::float32 ||
                                        (facts.mixed && !facts.mixed->fell_back),
                       .pivots = facts.pivots,
                       .has_pivots = !facts.krylov,
                       .correction_error = facts.krylov ? facts.krylov->correction_error : 0.0,
                       .asked = question_.options.tolerance,
                       .accept = question_.options.accept,
                       .refinement = outcome.refinement,
                       .condition = {},
                       .probe = {}};
  const bool estimates = question_.options.condition && !is_singular() && (fit || !facts.krylov);
  // What a Krylov method comes to differs from one right-hand side to the next.
  if (facts.krylov) known = {};
  bool judged = false;
  if (estimates && known.probe && known.normwise && fit) {
    times.measure("condition", [&] {
      if (!known.componentwise) {
        inverse_->expect(SolvePurpose::estimate);
        known.componentwise = condition_of_any(matrix, inverse);
        inverse_->expect(SolvePurpose::correction);
      }
    });
    figures.probe = known.probe;
    figures.condition = Condition{*known.normwise, *known.componentwise, true};
    outcome.trust = judge(figures);
    judged = outcome.trust.doubt == Doubt::none && outcome.trust.notes.empty();
  }
  if (estimates && !judged) {
    times.measure("condition", [&] {
      figures.condition.reset();
      figures.probe = known.probe = probe_known_solution(matrix, inverse);
      inverse_->expect(SolvePurpose::estimate);
      if (fit) figures.condition = estimate_condition(matrix, b, x, inverse);
      inverse_->expect(SolvePurpose::correction);
    });
    if (figures.condition) known.normwise = figures.condition->normwise;
  }
  outcome.condition = figures.condition;
  if (!judged) outcome.trust = judge(figures);
  if (facts.krylov && !facts.krylov->shortfall.empty()) {
    outcome.trust.notes.push_back(facts.krylov->shortfall);
  }
  if (estimates && !fit) {
    outcome.trust.notes.push_back(
        fmt::format("no condition estimate: the factors are too inaccurate for it (backward error "
                    "{:.1e} before refinement)",
                    error));
  }
}

}  // namespace spsolve
