#pragma once

#include "checkpoint/checkpoints.hpp"
#include "process/phase_times.hpp"
#include "report/report.hpp"
#include "system/system_solver.hpp"

namespace spsolve::inline task {

/// Flops of this run of a system of so many rows, where another one began.
double flops_here(const SolveReport& report, const SystemSolver& solver, Index order);

/// The time that checkpoints took, as phases of their own, and the notes on them.
void tell_apart(const Checkpoints& checkpoints, PhaseTimes& times, SolveReport& report);

}  // namespace spsolve::task
