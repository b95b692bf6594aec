#include "krylov/krylov_inverse.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/timer.hpp"
#include "krylov/conjugated_operator.hpp"
#include "krylov/shortfall.hpp"
#include "krylov/symmetry.hpp"
#include "matrix/symmetry.hpp"
#include "solve/gmres.hpp"
#include "solve/operators/right_hand_side_scaling.hpp"
#include "vectors/columns.hpp"

namespace spsolve::inline krylov {

namespace {

/// The limit that solve.iterations=0 stands for.
Index steps_for(Index order) {
  return std::min<Index>(20000, 1000 + static_cast<Index>(10 * std::sqrt(order)));
}

}  // namespace

/// A, or A^T, as a linear operator.
class KrylovInverse::Products final : public LinearOperator {
 public:
  explicit Products(BandMatrix& matrix) : matrix_(matrix) {}
  BandMatrix& matrix() { return matrix_; }
  void apply(const Vectors& x, Vectors& y) override { matrix_.apply(x, y); }
  void apply_transposed(const Vectors& x, Vectors& y) override { matrix_.apply_transposed(x, y); }
  void apply_and_dot(const Vectors& x, Vectors& y, const ToRow& sums) override {
    matrix_.apply_and_dot(x, y, sums);
  }

 private:
  BandMatrix& matrix_;
};

KrylovInverse::KrylovInverse(ComputeDevice& memory, const SolverOptions& options)
    : memory_(memory), options_(options), method_(*krylov_method(options.method)) {}

KrylovInverse::~KrylovInverse() = default;

void KrylovInverse::find_scaling(SystemMatrix& matrix, AutoSwitch wanted, Precision precision,
                                 Equilibration& scaling) {
  if (method_.symmetric() || options_.null_space != NullSpaceKind::none) {
    scaling = {};
  } else {
    Inverse::find_scaling(matrix, wanted, precision, scaling);
  }
}

void KrylovInverse::prepare(SystemMatrix& matrix, const Equilibration& scaling) {
  const bool again = matrix_ == &matrix && preconditioner_ != nullptr && boundary_ == nullptr &&
                     scaling.scales == (scaled_ != nullptr);
  matrix_ = &matrix;
  scaling_ = &scaling;
  products_ = nullptr;
  facts_ = {};
  facts_.krylov.emplace();
  if (!again) {
    preconditioner_ = nullptr;
    scaled_ = nullptr;
    boundary_ = nullptr;
  }
  if (again && scaling.scales) {
    scaled_->set_values(matrix.scaled_rows(scaling).values);
  } else if (scaling.scales) {
    scaled_ = std::make_unique<BandMatrix>(matrix.team(), matrix.layout(), matrix.layout(),
                                           matrix.scaled_rows(scaling), matrix.memory());
  }
  BandMatrix* system = scaled_ != nullptr ? &*scaled_ : &matrix.bands();
  norm_ = matrix.infinity_norm(scaling);
  norm_of_a_ = scaled_ != nullptr ? matrix.infinity_norm({}) : norm_;
  const bool was_symmetric = symmetric_;
  symmetric_ = seems_symmetric(*system);
  const bool wants_hermitian = method_.wants == WantedSymmetry::hermitian;
  if (wants_hermitian && !symmetric_ && options_.null_space == NullSpaceKind::none) {
    boundary_ = BoundaryRows::of(matrix);
    if (boundary_ != nullptr) {
      system = &boundary_->inside();
      symmetric_ = seems_symmetric(*system);
    }
  }
  form_ = real_form_of(*system);
  complex_ =
      !wants_hermitian && form_ != RealFormKind::none && system->vectors_of_rows(1)->has_complex();
  signs_ = complex_ && form_ == RealFormKind::conjugated ? signs_of_rows(*system) : nullptr;
  if (signs_ != nullptr) symmetric_ = false;  // nor is A Hermitian
  system->expect_many_products();
  products_ = std::make_unique<Products>(*system);
  if (method_.wants == WantedSymmetry::symmetric) refuse_unsymmetric(*system);
  if (wants_hermitian && !symmetric_) {
    // One rank alone has both of a_ij and a_ji.
    const bool whole = matrix.team().size() == 1 && boundary_ == nullptr;
    fail_everywhere(
        ExitCode::input,
        "solve.method={} wants a {} matrix, and this one is not{}; use solve.method=gmres, "
        "bicgstab or idr, or sparse_lu",
        name(options_.method), RowNames::symmetric(),
        whole ? ", by more than rounding: " + to_text(furthest_from_symmetric(matrix.local_rows()))
              : "");
  }
  if (options_.null_space != NullSpaceKind::none) null_space_.emplace(matrix, options_);
  make_preconditioner(again && was_symmetric == symmetric_ && !stale_ && steps_when_new_);
  if (boundary_ != nullptr) {
    facts_.notes.push_back(
        "rows that hold their diagonal alone are solved first, and the iteration is with what is "
        "left of A");
  }
  if (null_space_) {
    facts_.krylov->null_space = null_space_->words();
    facts_.notes.push_back(
        fmt::format("A is singular: x is the solution that is orthogonal to its null space, {}",
                    null_space_->words()));
  }
}

void KrylovInverse::make_preconditioner(bool may_renew) {
  const Timer timer;
  const Preconditioner before = kind_;
  BandMatrix& system = products_->matrix();
  kind_ = options_.preconditioner;
  if (kind_ == Preconditioner::automatic) {
    const bool elastic = matrix_->coordinates().columns > 0;
    kind_ = choose_preconditioner(system, options_.method, symmetric_, elastic);
  }
  NearNullSpace near;
  if (kind_ == Preconditioner::multigrid) near = near_null_space_of(*matrix_, *scaling_);
  if (near.vectors.columns > 0) facts_.krylov->near_null_space = "rigid-body modes";
  // One that fails on the way to new values is half of each, and goes.
  std::unique_ptr<PreconditionerOperator> previous = std::move(preconditioner_);
  renewed_ = may_renew && kind_ == before && previous->renew(near);
  if (renewed_) {
    preconditioner_ = std::move(previous);
  } else {
    previous = nullptr;
    steps_when_new_.reset();
    preconditioner_ = preconditioner_row(kind_).make(
        {system, memory_, symmetric_, std::move(near), null_space_.has_value(),
         form_ == RealFormKind::plain || signs_ != nullptr});
  }
  facts_.krylov->renewed = renewed_;
  facts_.krylov->preconditioner = name(kind_);
  facts_.krylov->setup_seconds = timer.seconds();
  facts_.krylov->levels = preconditioner_->levels;
  facts_.notes = preconditioner_->notes;
}

StoppingCriterion::Goal KrylovInverse::first_goal() const {
  const Index order = matrix_->order();
  StoppingCriterion::Goal goal;
  goal.norm = norm_;
  goal.tolerance = options_.tolerance > 0 ? options_.tolerance : attainable_error(order);
  goal.most_steps = options_.iterations > 0 ? options_.iterations : steps_for(order);
  return goal;
}

void KrylovInverse::refuse_inconsistent(const Vectors& b) const {
  constexpr double rounding = 1e-10;
  const double part = null_space_->part_of(b);
  if (part <= std::max(rounding, options_.tolerance)) return;
  fail_everywhere(ExitCode::not_trustworthy,
                  "the system has no solution: A x is orthogonal to the null space of A, {}, and "
                  "{:.1e} of the right-hand side lies along it",
                  null_space_->words(), part);
}

std::string KrylovInverse::settings() const {
  const KrylovOutcome& krylov = *facts_.krylov;
  std::string words(krylov.preconditioner);
  if (!krylov.near_null_space.empty()) words += fmt::format(" of {}", krylov.near_null_space);
  if (renewed_) words += " of earlier values";
  if (null_space_) words += fmt::format(", null space {}", null_space_->words());
  if (complex_) words += " of complex numbers";
  words += memory_.memory() == MemoryKind::gpu ? " on GPUs" : " on hosts";
  const bool of_any_ranks = kind_ == Preconditioner::none || kind_ == Preconditioner::jacobi ||
                            kind_ == Preconditioner::chebyshev;
  const int ranks = matrix_->team().size();
  return of_any_ranks ? words : words + fmt::format(", {} rank{}", ranks, ranks == 1 ? "" : "s");
}

void KrylovInverse::solve_as_asked(Start start, const Vectors& b, Vectors& x, Progress* progress,
                                   CheckpointedIteration* checkpointed) {
  if (preconditioner_ == nullptr) make_preconditioner(false);  // making the last one failed
  if (null_space_ && symmetric_) refuse_inconsistent(b);
  StoppingCriterion::Goal goal = first_goal();
  goal.checkpointed = checkpointed;
  double first_error = 0;
  if (progress != nullptr) {
    progress->restart("iterating");
    progress->call_steps("iteration");
    goal.tell = [&](Index step, double error) {
      if (first_error == 0) first_error = error;
      const auto over = [&](double e) { return std::log(std::max(e / goal.tolerance, 1.0)); };
      const double done = 1 - std::min(1.0, over(error) / std::max(over(first_error), 1e-300));
      progress->done_by_all(step, goal.most_steps, done, error);
    };
  }
  KrylovSolve solved = solve_for_a(start, goal, b, x);
  if (renewed_ && !solved.converged && solved.end != KrylovEnd::time) {
    make_preconditioner(false);
    if (checkpointed != nullptr) checkpointed->change_settings(settings());
    solved = solve_for_a({start.transposed}, goal, b, x);
  }
  if (!renewed_ && !steps_when_new_) steps_when_new_ = solved.steps;
  stale_ = renewed_ && solved.steps > *steps_when_new_ + *steps_when_new_ / 2 + 1;
  KrylovOutcome& outcome = *facts_.krylov;
  outcome.steps = solved.steps;
  outcome.asked = goal.tolerance;
  outcome.history = solved.history;
  outcome.shortfall.clear();
  const std::string_view method = name(options_.method);
  // Near enough to the default goal is as good as it: what judges x has the last word.
  constexpr double good_enough = 1e-12;
  outcome.converged = solved.converged || (options_.tolerance == 0 && solved.error <= good_enough);
  if (outcome.converged) return;
  if (solved.end == KrylovEnd::indefinite) {
    fail_everywhere(ExitCode::not_trustworthy,
                    "the matrix is not positive definite, as {} wants it: at step {} p^T A p was "
                    "not positive; use solve.method=minres, or gmres",
                    method, solved.steps + 1);
  }
  if (solved.end == KrylovEnd::unfit) {
    fail_everywhere(ExitCode::not_trustworthy,
                    "the preconditioner {} is not positive definite for this matrix, as {} wants "
                    "it (step {}); use solve.preconditioner=jacobi, or solve.method=gmres",
                    name(kind_), method, solved.steps + 1);
  }
  const std::vector<double> errors =
      b.columns() > 1 ? errors_for_a(start.transposed, b, x) : std::vector<double>();
  outcome.shortfall = words_of_shortfall(options_, kind_, solved, goal.tolerance, errors);
  if (null_space_ && !symmetric_) {
    outcome.shortfall += "; or the right-hand side is none that A x can be, as A is singular";
  }
}

std::unique_ptr<Vectors> KrylovInverse::eliminate(const EliminationRun& run) {
  watch_ = run.progress.watch();
  if (run.first == nullptr) return nullptr;
  std::unique_ptr<Vectors> x =
      run.guess != nullptr ? copy_of(*run.guess) : matrix_->vectors(run.first->columns());
  std::optional<CheckpointedIteration> checkpointed;
  if (run.checkpoints != nullptr) {
    checkpointed.emplace(*run.checkpoints, *run.first, method_.vectors + 2, settings());
    if (!checkpointed->restarts().empty()) facts_.notes.push_back(checkpointed->restarts());
  }
  solve_as_asked({false, run.guess != nullptr}, *run.first, *x, &run.progress,
                 checkpointed ? &*checkpointed : nullptr);
  return x;
}

std::function<bool()> KrylovInverse::out_of_time(Team& team) const {
  if (options_.time_limit <= 0) return {};
  return [&team, timer = Timer(), limit = options_.time_limit] {
    return all_maximum(team, timer.seconds()) >= limit;
  };
}

std::vector<double> KrylovInverse::errors_for_a(bool transposed, const Vectors& b,
                                                const Vectors& x) const {
  const std::unique_ptr<Vectors> right = copy_of(b), left = copy_of(x), r = copy_of(x);
  if (scaled_ != nullptr) {
    std::vector<double> of_b = (transposed ? scaling_->columns : scaling_->rows).on_host();
    for (double& factor : of_b) factor = 1 / factor;
    scale_own_rows(*matrix_, of_b, *right);
    scale_own_rows(*matrix_, transposed ? scaling_->rows : scaling_->columns, *left);
  }
  BandMatrix& a = matrix_->bands();
  transposed ? a.apply_transposed(*left, *r) : a.apply(*left, *r);
  r->combine(Columns(x.columns(), -1.0), Columns(x.columns(), 1.0), *right);
  StoppingCriterion::Goal goal;
  goal.norm = norm_of_a_;
  return StoppingCriterion(goal, maxima(*right)).errors(*left, maxima(*r));
}

KrylovSolve KrylovInverse::solve_for_a(Start start, StoppingCriterion::Goal goal, const Vectors& b,
                                       Vectors& x) {
  goal.out_of_time = out_of_time(b.team());
  const double asked = goal.tolerance;
  const Index most_steps = goal.most_steps;
  const auto tell = goal.tell;
  KrylovSolve all;
  double sharper = 1;  // the tolerance of a round as a part of what is asked for
  const CheckpointedIteration::SolveLevel level(goal.checkpointed,
                                                CheckpointedIteration::SolveLevel::Kind::progress,
                                                [&](IterationState& state) {
                                                  state.number(sharper);
                                                  state.number(all.steps);
                                                  state.numbers(all.history);
                                                });
  while (true) {
    goal.tolerance = sharper * asked;
    goal.most_steps = most_steps - all.steps;
    if (tell) {
      goal.tell = [&tell, before = all.steps](Index step, double error) {
        tell(before + step, error);
      };
    }
    const KrylovSolve round = solve(start, goal, b, x);
    all.end = round.end;
    all.steps += round.steps;
    all.error = round.error;
    all.converged = round.converged;
    // The first of them is the last one of those before.
    const bool follows = !all.history.empty() && !round.history.empty();
    all.history.insert(all.history.end(), round.history.begin() + (follows ? 1 : 0),
                       round.history.end());
    // The default goal is as near as double gets, in either scale.
    if (scaled_ == nullptr || options_.tolerance == 0) return all;
    all.error = worst(errors_for_a(start.transposed, b, x));
    all.converged = all.error <= asked;
    if (all.converged || !round.converged || all.steps >= most_steps) return all;
    sharper *= asked / (2 * all.error);
    start.from_x = true;
  }
}

KrylovSolve KrylovInverse::solve(Start start, StoppingCriterion::Goal goal, const Vectors& b,
                                 Vectors& x) {
  if (!goal.out_of_time) goal.out_of_time = out_of_time(b.team());
  Progress estimating("estimating", 0, Progress::Show::off);
  if (watch_ != nullptr && !goal.tell) {
    estimating.watch_by(watch_);
    goal.tell = [&estimating, most = goal.most_steps](Index step, double error) {
      estimating.done_by_all(step, most, 0, error);
    };
  }
  Columns factors = maxima(b);
  for (double& factor : factors) factor = right_hand_side_scale(factor);
  const bool scales = any_scales(factors);
  const bool projects = null_space_ && (symmetric_ || start.transposed);
  std::unique_ptr<Vectors> changed;
  if (scales || projects || boundary_ != nullptr || signs_ != nullptr) changed = copy_of(b);
  if (scales) changed->scale_columns(factors);
  if (projects) null_space_->project(*changed);
  if (boundary_ != nullptr && !start.transposed) boundary_->move_to_right(*changed);
  if (scales && start.from_x) x.scale_columns(factors);
  // With the signs C of rows it is (C A) x = C b; and (C A)^T is A^T C, which C x goes into.
  if (signs_ != nullptr && !start.transposed) changed->scale_rows(*signs_);
  if (signs_ != nullptr && start.transposed && start.from_x) x.scale_rows(*signs_);
  KrylovSolve solved = solve_for(start, goal, changed != nullptr ? *changed : b, x);
  if (signs_ != nullptr && start.transposed) x.scale_rows(*signs_);
  if (boundary_ != nullptr) {
    boundary_->fix(*changed, x);
    if (start.transposed) boundary_->take_back(x);
  }
  if (scales) {
    x.scale_columns(inverses_of(factors));
  }
  if (null_space_ && (symmetric_ || !start.transposed)) null_space_->project(x);
  return solved;
}

KrylovSolve KrylovInverse::solve_for(Start start, const StoppingCriterion::Goal& goal,
                                     const Vectors& b, Vectors& x) {
  std::optional<ConjugatedOperator> plain_products, plain_preconditioner;
  LinearOperator* products = &*products_;
  LinearOperator* inverse = &*preconditioner_;
  if (signs_ != nullptr) {
    products = &plain_products.emplace(*products, ConjugatedOperator::Side::left, *signs_);
    // What is made of C A has its signs; I has none.
    if (!inverse->is_identity()) {
      inverse = &plain_preconditioner.emplace(*inverse, ConjugatedOperator::Side::right, *signs_);
    }
  }
  Transposed other_products(*products), other_preconditioner(*inverse);
  const bool turned = start.transposed && method_.wants != WantedSymmetry::hermitian;
  LinearOperator& preconditioner =
      turned ? static_cast<LinearOperator&>(other_preconditioner) : *inverse;
  // The null space of A^T alone is not known.
  const bool projects = null_space_ && (symmetric_ || !start.transposed);
  std::optional<Projected> projected;
  if (projects) projected.emplace(preconditioner, *null_space_);
  KrylovSystem system{turned ? static_cast<LinearOperator&>(other_products) : *products,
                      projects ? static_cast<LinearOperator&>(*projected) : preconditioner,
                      options_.restart, complex_};
  const Index at_once = method_.at_once > 0 ? method_.at_once : b.columns();
  KrylovSolve all;
  all.converged = true;
  Index first = 0;
  const CheckpointedIteration::SolveLevel level(goal.checkpointed,
                                                CheckpointedIteration::SolveLevel::Kind::progress,
                                                [&](IterationState& state) {
                                                  if (b.columns() <= at_once) return;
                                                  auto end = static_cast<Index>(all.end);
                                                  for (Index* number : {&first, &all.steps, &end})
                                                    state.number(*number);
                                                  all.end = static_cast<KrylovEnd>(end);
                                                  state.number(all.error);
                                                  state.number(all.converged);
                                                  state.numbers(all.history);
                                                  state.vectors(x);
                                                });
  if (b.columns() <= at_once) {
    return solve_by_krylov(method_, system, goal, b, x, start.from_x);
  }
  for (; first < b.columns(); first += at_once) {
    const Index count = std::min(at_once, b.columns() - first);
    const std::unique_ptr<Vectors> part = b.similar(count), result = b.similar(count);
    part->copy_columns(b, first, 0, count);
    if (start.from_x) result->copy_columns(x, first, 0, count);
    KrylovSolve solved = solve_by_krylov(method_, system, goal, *part, *result, start.from_x);
    x.copy_columns(*result, 0, first, count);
    all.converged = all.converged && solved.converged;
    if (!solved.converged) all.end = solved.end;
    if (solved.error >= all.error) {
      all.error = solved.error;
      all.history = std::move(solved.history);
    }
    all.steps = std::max(all.steps, solved.steps);
  }
  return all;
}

}  // namespace spsolve::krylov
