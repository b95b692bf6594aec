#include "system/system_solver.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/over_blocks.hpp"
#include "distribute/redistribute.hpp"
#include "krylov/null_space.hpp"
#include "solve/operators/right_hand_side_scaling.hpp"

namespace spsolve::inline system {

SystemSolver::SystemSolver(std::unique_ptr<SystemMatrix> matrix, const SolverRow& row,
                           const SolverQuestion& question, ComputeDevice& memory,
                           BeforeDouble before_double)
    : matrix_(std::move(matrix)),
      row_(row),
      question_(question),
      inverse_(row.make(matrix_->team(), memory, question, std::move(before_double))) {}

EliminationChoice SystemSolver::choice() const {
  const InverseFacts& facts = inverse_->facts();
  if (!facts.instead) return row_.choice(question_);
  SolverQuestion question = question_;
  question.options.method = *facts.instead;
  if (facts.mixed) question.options.precision = Precision::mixed;
  question.wants_checkpoints = false;
  return choose_solver(question).choice(question);
}

double SystemSolver::flops() const {
  return row_.analyse(question_).flops;
}

void SystemSolver::set_values(std::span<const double> values) {
  together(matrix_->team(), [&] {
    bool finite = true;
#pragma omp parallel for schedule(static) reduction(&& : finite) if ( \
        worth_threads(std::ssize(values)))
    for (std::size_t k = 0; k < values.size(); ++k) finite = finite && std::isfinite(values[k]);
    if (!finite) {
      fail(ExitCode::input,
           "a new value of the matrix is not a finite number; the solver stays as it was");
    }
  });
  matrix_->set_values(values);
  transposed_ = nullptr;
  unscaled_.reset();
  prepared_ = false;
  why_not_ = "it was not asked for since new values came";
}

template <typename Work>
void SystemSolver::set_up_by(const Work& work) {
  try {
    work();
  } catch (...) {
    unscaled_.reset();
    prepared_ = false;
    why_not_ = current_failure().message;
    why_not_.resize(std::min(why_not_.size(), why_not_.find('\n')));  // without a plan's table
    throw;
  }
}

ScaledOperator& SystemSolver::whole() {
  if (unscaled_) return *unscaled_;
  fail_everywhere(ExitCode::input,
                  "there are no factors to solve with, as the last set-up failed ({}); set up the "
                  "solver with other values first",
                  why_not_);
}

void SystemSolver::prepare() {
  first_ = nullptr;
  unscaled_.reset();
  tried_ = false;
  estimates_ = of_transposed_ = {};
  set_up_by([&] {
    inverse_->find_scaling(*matrix_, question_.options.equilibrate, question_.options.precision,
                           scaling_);
    inverse_->prepare(*matrix_, scaling_);
  });
  prepared_ = true;
}

void SystemSolver::precondition(bool transposed, const Vectors& b, Vectors& x) {
  LinearOperator* const of_scaled = inverse_->preconditioner();
  if (of_scaled == nullptr) {
    fail_everywhere(ExitCode::input,
                    "solve.method={} has no preconditioner to apply; name an iteration as the "
                    "method, such as gmres",
                    name(question_.options.method));
  }
  if (!prepared_) {
    fail_everywhere(ExitCode::input,
                    "there is no preconditioner, as the last set-up failed ({}); set up the solver "
                    "with other values first",
                    why_not_);
  }
  ScaledOperator of_a = ScaledOperator::unscaled(*of_scaled, *matrix_, scaling_);
  transposed ? of_a.apply_transposed(b, x) : of_a.apply(b, x);
}

void SystemSolver::substitute(Substitution step, bool transposed, const Vectors& b, Vectors& x) {
  if (!is_krylov(row_.method)) whole();  // refuses where there are no factors
  LinearOperator* of_scaled = nullptr;
  set_up_by([&] { of_scaled = inverse_->substitution(step); });
  if (of_scaled == nullptr) {
    fail_everywhere(ExitCode::input,
                    "there are no substitutions apart by {}: they are of sparse factors that one "
                    "process has on its host, of a matrix without a block triangular form, whose "
                    "solves need no GMRES; solve as a whole",
                    name(choice().method));
  }
  // A^-1 is C (R A C)^-1 R.
  if (&b != &x) copy(b, x);
  if (step == Substitution::forward && scaling_.scales) {
    scale_own_rows(*matrix_, transposed ? scaling_.columns : scaling_.rows, x);
  }
  transposed ? of_scaled->apply_transposed(x, x) : of_scaled->apply(x, x);
  if (step == Substitution::backward && scaling_.scales) {
    scale_own_rows(*matrix_, transposed ? scaling_.rows : scaling_.columns, x);
  }
}

void SystemSolver::eliminate(Progress& progress, Checkpoints* checkpoints, const Vectors* b,
                             const Vectors* guess) {
  EliminationRun run{progress, checkpoints, b, guess};
  std::unique_ptr<Vectors> scaled, scaled_guess;
  const std::vector<double> factors =
      b != nullptr ? right_hand_side_scales(*matrix_, *b) : std::vector<double>{};
  const bool far = any_scales(factors);
  if (b != nullptr && (scaling_.scales || far)) {
    scaled = copy_of(*b);
    if (far) scaled->scale_columns(factors);
    if (scaling_.scales) scale_own_rows(*matrix_, scaling_.rows, *scaled);
    run.first = scaled.get();
  }
  if (guess != nullptr && (scaling_.scales || far)) {
    // x = C y
    scaled_guess = copy_of(*guess);
    if (far) scaled_guess->scale_columns(factors);
    if (scaling_.scales) {
      scale_own_rows(*matrix_, inverses_of(scaling_.columns.on_host()), *scaled_guess);
    }
    run.guess = scaled_guess.get();
  }
  watch_ = progress.watch();
  set_up_by([&] {
    progress.done_by_all(0, 0, 0);
    try {
      first_ = inverse_->eliminate(run);
    } catch (const Error& error) {
      name_null_space(error);
      throw;
    }
  });
  if (first_ != nullptr && scaling_.scales) scale_own_rows(*matrix_, scaling_.columns, *first_);
  unscaled_.emplace(ScaledOperator::unscaled(*inverse_, *matrix_, scaling_));
}

void SystemSolver::name_null_space(const Error& error) {
  const bool of_all =
      error.code() == ExitCode::not_trustworthy && error.scope() == Scope::every_rank;
  if (!of_all || is_singular() || !takes_constants_to_zero(*matrix_)) return;
  throw Error(error.code(),
              std::string(error.what()) +
                  "; A takes vectors of equal elements to zero, as a Laplacian does: "
                  "solve.null_space=constants finds the x whose elements add up to zero, if b is "
                  "in the range of A",
              Scope::every_rank);
}

void SystemSolver::set_up() {
  prepare();
  Progress silent("eliminating", 1, Progress::Show::off);
  silent.watch_by(watch_);
  eliminate(silent);
}

template <typename Apply>
void SystemSolver::apply_by(const Apply& apply) {
  ScaledOperator& inverse = whole();
  // An iteration stays as it was; factors that fail when they are first tried are half made.
  if (tried_ || inverse_->facts().krylov) return apply(inverse);
  set_up_by([&] { apply(inverse); });
  tried_ = true;
}

void SystemSolver::apply(const Vectors& x, Vectors& y) {
  apply_by([&](ScaledOperator& inverse) { inverse.apply(x, y); });
}

void SystemSolver::apply_transposed(const Vectors& x, Vectors& y) {
  apply_by([&](ScaledOperator& inverse) { inverse.apply_transposed(x, y); });
}

SolveOutcome SystemSolver::solve(const Vectors& b, Vectors& x, PhaseTimes& times) {
  whole();
  const SolveSide side{*matrix_, *this, scaling_.rows, estimates_};
  return solve_scaled(side, b, x, times, [this](const Vectors& right, Vectors& to) {
    if (first_ != nullptr && first_->columns() == right.columns()) {
      copy(*first_, to);
    } else {
      inverse_->expect(SolvePurpose::solution);
      apply(right, to);
    }
    first_ = nullptr;
  });
}

SolveOutcome SystemSolver::solve_transposed(const Vectors& b, Vectors& x, PhaseTimes& times) {
  whole();
  if (transposed_ == nullptr) {
    transposed_ =
        std::make_unique<SystemMatrix>(matrix_->team(), matrix_->layout(),
                                       transposed_rows(matrix_->team(), matrix_->layout(),
                                                       matrix_->layout(), matrix_->scaled_rows({})),
                                       matrix_->memory());
  }
  Transposed inverse(*this);
  const SolveSide side{*transposed_, inverse, scaling_.columns, of_transposed_};
  return solve_scaled(side, b, x, times, [this](const Vectors& right, Vectors& to) {
    inverse_->expect(SolvePurpose::solution);
    apply_transposed(right, to);
  });
}

std::optional<Inertia> SystemSolver::ensured_inertia() {
  std::optional<Inertia> told = inertia();
  const auto settled = [&] { return told->certainty == Certainty::certain || !unscaled_; };
  if (!told || settled()) return told;
  const auto look_again = [&](const auto& renew) {
    try {
      bool renewed = false;
      set_up_by([&] { renewed = renew(); });
      if (renewed) estimates_ = of_transposed_ = {};
    } catch (const Error& error) {
      if (error.code() != ExitCode::not_trustworthy || error.scope() != Scope::every_rank) throw;
    }
    told = inertia();
  };
  // Factors that are tried out by a first solution may be others after it.
  if (told->certainty == Certainty::unknown && !tried_) {
    look_again([&] {
      const std::unique_ptr<Vectors> x = matrix_->vectors(1), y = x->similar(1);
      x->fill(1);
      apply(*x, *y);
      return true;
    });
  }
  if (!settled()) look_again([&] { return inverse_->eliminate_exactly(); });
  return told;
}

template <typename Solve>
SolveOutcome SystemSolver::solve_scaled(const SolveSide& side, const Vectors& b, Vectors& x,
                                        PhaseTimes& times, const Solve& solve) {
  std::vector<double> factors = right_hand_side_scales(*matrix_, b);
  std::unique_ptr<Vectors> near;
  times.measure("gather", [&] {
    if (any_scales(factors)) {
      near = copy_of(b);
      near->scale_columns(factors);
    }
    solve(near != nullptr ? *near : b, x);
    // Of all x: a GPU has computed them then, in the time of this phase.
    const std::vector<double> sizes = maxima(x);
    const auto is_finite = [](double size) { return std::isfinite(size); };
    if (near == nullptr || std::ranges::all_of(sizes, is_finite)) return;
    near = nullptr;
    factors.assign(factors.size(), 1);
    solve(b, x);
  });
  if (near == nullptr) return finish(side, b, x, factors, times);
  factors = inverses_of(factors);
  SolveOutcome outcome = finish(side, *near, x, factors, times);
  x.scale_columns(factors);
  return outcome;
}

}  // namespace spsolve::system
