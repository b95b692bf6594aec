#include "krylov/krylov_solve.hpp"

#include "vectors/columns.hpp"

namespace spsolve {

namespace {

/// Steps of restarted methods without a halved error that end them.
constexpr Index cycles_of_patience = 20;

}  // namespace

KrylovSolve solve_by_krylov(const KrylovMethod& method, const KrylovSystem& system,
                            const KrylovWatch::Goal& goal, const Vectors& b, Vectors& x,
                            bool from_x) {
  KrylovWatch watch(goal, maxima(b));
  const std::unique_ptr<Vectors> r = copy_of(b), best = x.similar(x.columns());
  const auto find_residual = [&] {
    system.matrix.apply(x, *r);
    r->combine(Columns(watch.columns(), -1.0), Columns(watch.columns(), 1.0), b);
  };
  if (from_x) {
    find_residual();
  } else {
    x.fill(0);
  }
  KrylovSolve result;
  result.error = worst(watch.errors(x, maxima(*r)));
  bool at_best = true;  // x is what result.error is of, and not `best`
  double halved = result.error;
  Index steps_at_half = 0;
  while (true) {
    watch.learn(x);
    watch.begin(maxima(*r));
    if (watch.all_done()) break;
    if (at_best) copy(x, *best);
    result.end = method.iterate(system, watch, x, *r);
    find_residual();
    const double now = worst(watch.errors(x, maxima(*r)));
    at_best = now < result.error;
    if (at_best) result.error = now;
    if (result.error <= goal.tolerance) break;
    if (watch.must_stop()) {
      result.end = watch.no_time_left() ? KrylovEnd::time : KrylovEnd::limit;
      break;
    }
    if (result.end == KrylovEnd::indefinite || result.end == KrylovEnd::unfit) break;
    if (result.error <= halved / 2) {
      halved = result.error;
      steps_at_half = watch.steps();
      continue;
    }
    // A recurrence at its end, or broken down, that left so much: another one would, too.
    if (result.end != KrylovEnd::cycle) break;
    if (watch.steps() - steps_at_half > cycles_of_patience * system.restart) break;
  }
  if (!at_best) copy(*best, x);
  result.converged = result.error <= goal.tolerance;
  result.steps = watch.steps();
  result.history = watch.history();
  return result;
}

}  // namespace spsolve
