#include "krylov/krylov_solve.hpp"

#include <cmath>

#include "krylov/iteration/checkpointed_iteration.hpp"
#include "vectors/columns.hpp"

namespace spsolve::inline krylov {

namespace {

/// Steps of restarted methods without a halved error that end them.
constexpr Index cycles_of_patience = 20;

}  // namespace

KrylovSolve solve_by_krylov(const KrylovMethod& method, const KrylovSystem& system,
                            const StoppingCriterion::Goal& goal, const Vectors& b, Vectors& x,
                            bool from_x) {
  StoppingCriterion criterion(goal, maxima(b));
  const std::unique_ptr<Vectors> r = copy_of(b), best = x.similar(x.columns());
  const auto find_residual = [&] {
    system.matrix.apply(x, *r);
    r->combine(Columns(criterion.columns(), -1.0), Columns(criterion.columns(), 1.0), b);
  };
  KrylovSolve result;
  bool at_best = true;  // x is what result.error is of, and not `best`
  double halved = 0;
  Index steps_at_half = 0, steps_before = -1;
  const CheckpointedIteration::SolveLevel level(goal.checkpointed,
                                                CheckpointedIteration::SolveLevel::Kind::progress,
                                                [&](IterationState& state) {
                                                  state.number(result.error);
                                                  state.number(halved);
                                                  state.number(steps_at_half);
                                                  criterion.name(state);
                                                  state.vectors(x);
                                                  state.vectors(*best);
                                                });
  /// Looks at what a cycle left, and whether there is anything to be gained by another one.
  const auto goes_further = [&] {
    find_residual();
    const double now = worst(criterion.errors(x, maxima(*r)));
    const double before = result.error;
    at_best = now < result.error;
    if (at_best) result.error = now;
    if (result.error <= goal.tolerance) return false;
    if (!std::isfinite(result.error)) {  // nor was it ever: b overflowed, for one
      result.end = KrylovEnd::breakdown;
      return false;
    }
    if (criterion.must_stop()) {
      result.end = criterion.no_time_left() ? KrylovEnd::time : KrylovEnd::limit;
      return false;
    }
    if (result.end == KrylovEnd::indefinite || result.end == KrylovEnd::unfit) return false;
    if (result.error <= halved / 2) {
      halved = result.error;
      steps_at_half = criterion.steps();
      return true;
    }
    // A recurrence at its end, or broken down, that left so much: another one would, too, but where
    // less than a half is wanted.
    constexpr double progress = 0.9;
    if (result.end == KrylovEnd::reached && result.error <= 2 * goal.tolerance &&
        result.error <= progress * before) {
      return true;
    }
    const bool moved = criterion.steps() > steps_before;
    return result.end == KrylovEnd::cycle && moved &&
           criterion.steps() - steps_at_half <= cycles_of_patience * system.restart;
  };
  bool within = level.goes_on() && goal.checkpointed->has_recurrence();  // a cycle
  bool more = true;
  if (level.goes_on() && !within) {
    result.end = KrylovEnd::cycle;
    more = goes_further();
  } else if (!level.goes_on()) {
    if (from_x) {
      find_residual();
    } else {
      x.fill(0);
    }
    halved = result.error = worst(criterion.errors(x, maxima(*r)));
  }
  while (more) {
    if (!within) {
      criterion.learn(x);
      criterion.begin(maxima(*r));
      if (criterion.all_done()) break;
      if (at_best) copy(x, *best);
    }
    within = false;
    steps_before = criterion.steps();
    result.end = method.iterate(system, criterion, x, *r);
    more = goes_further();
  }
  if (!at_best) copy(*best, x);
  if (goal.checkpointed != nullptr) {
    copy(x, *best);
    goal.checkpointed->save_at_the_end();
  }
  result.converged = result.error <= goal.tolerance;
  result.steps = criterion.steps();
  result.history = criterion.history();
  return result;
}

}  // namespace spsolve::krylov
