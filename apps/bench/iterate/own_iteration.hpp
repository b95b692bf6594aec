#pragma once

#include "apps/bench/iterate/iterative_contender.hpp"
#include "apps/bench/sparse/own_sparse.hpp"

namespace spsolve::bench {

/// The Krylov method and preconditioner of `options` on all ranks of the team. As methods stop at
/// backward errors, options.tolerance is that which system.tolerance comes to with
/// system.largest_x; where that is not known, 0: as near as double gets. Throws Error(input) where
/// the method refuses the system.
std::unique_ptr<IterativeContender> make_own_iteration(const IterativeSystem& system,
                                                       const SolverOptions& options, Team& team,
                                                       const OwnDevice& device = {});

}  // namespace spsolve::bench
