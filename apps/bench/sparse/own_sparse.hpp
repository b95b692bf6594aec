#pragma once

#include <memory>

#include "apps/bench/sparse/sparse_contender.hpp"
#include "solve/options.hpp"

namespace spsolve::bench {

/// The row of the solver table that `options` ask for, on this system in one process. Its
/// analyse() throws Error(input) where it refuses the system, and Error(resources) where it does
/// not fit. `system` must outlive it.
std::unique_ptr<SparseContender> make_own(const SparseSystem& system, const SolverOptions& options);

}  // namespace spsolve::bench
