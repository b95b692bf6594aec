#pragma once

#include <string>
#include <vector>

#include "krylov/krylov_solve.hpp"
#include "solve/operators/options.hpp"

namespace spsolve::inline krylov {

/// The sentence on a solve that did not come to the backward error that was wanted: how it ended,
/// and what to try. `errors`, of every right-hand side, tell the worst of several; empty for one.
std::string words_of_shortfall(const SolverOptions& options, Preconditioner preconditioner,
                               const KrylovSolve& solved, double wanted,
                               const std::vector<double>& errors);

}  // namespace spsolve::krylov
