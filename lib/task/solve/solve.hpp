#pragma once

#include "choice/gpus.hpp"
#include "config/config.hpp"
#include "plan/memory_plan.hpp"
#include "report/report.hpp"
#include "team/team.hpp"

namespace spsolve::inline task {

/// `task: solve`: reads the matrix on rank 0, deals its rows out, eliminates them on the GPUs, each
/// rank on its own, or on the host, solves, refines
/// against the sparse matrix, writes the solution. Every rank gets the report, as far as it
/// came where this fails; begin_report() has begun it. Throws the same Error on every rank.
/// Collective.
void run_solve(const Config& config, Team& team, const Gpus& gpus, SolveReport& report);

/// The memory that run_solve() will need, rank by rank; allocates nothing that grows with the
/// matrix. `plan` is set to this rank's own. Bands in GPU memory are planned where the task would
/// take GPUs, and for device: cuda also where none is here. `most_ranks`, where it is not 0:
/// plan.about gets a table of the needs of up to so many ranks for a sparse elimination.
/// Collective.
MemoryCheck plan_solve(const Config& config, Team& team, const Gpus& gpus, MemoryPlan& plan,
                       int most_ranks = 0);

}  // namespace spsolve::task
