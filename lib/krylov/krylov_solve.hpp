#pragma once

#include <algorithm>
#include <vector>

#include "krylov/iteration/stopping_criterion.hpp"
#include "krylov/methods/krylov_method.hpp"

namespace spsolve::inline krylov {

/// The outcome of one solve by a Krylov method.
struct KrylovSolve {
  Index steps = 0;
  double error = 0;  ///< as StoppingCriterion::errors() has it, of the true residual; the worst
  bool converged = false;  ///< error is at most the goal's tolerance
  KrylovEnd end = KrylovEnd::reached;
  std::vector<double> history;  ///< as StoppingCriterion::history() has it
};

/// Solves A x = b from x as it is, or from x = 0, by cycles of `method`, each from the true
/// residual b - A x, until that is as small as `goal` wants, no steps are left, or a cycle whose
/// recurrence had come to its end did not halve it; or until no time is left. x is the best that
/// was found. Right-hand sides at once: all of them. Where goal.kept is gone on from, x is what was
/// kept. Collective.
KrylovSolve solve_by_krylov(const KrylovMethod& method, const KrylovSystem& system,
                            const StoppingCriterion::Goal& goal, const Vectors& b, Vectors& x,
                            bool from_x = false);

/// The largest of some errors, 0 of none.
inline double worst(const std::vector<double>& errors) {
  return errors.empty() ? 0.0 : std::ranges::max(errors);
}

}  // namespace spsolve::krylov
