#pragma once

#include "config/config.hpp"
#include "plan/memory_plan.hpp"
#include "report/report.hpp"
#include "system/system_solver.hpp"
#include "task/input/right_hand_side.hpp"

namespace spsolve::inline task {

/// Notes how a system of that form was solved: its method, factors or iteration, and the inertia,
/// as SystemSolver::inertia() has it. Collective.
void note_method(SystemSolver& solver, const SystemForm& form, bool cheaply, SolveReport& report);

/// Leaves out of the plan the parts of occasions that did not come, as the method tells.
void leave_out_what_did_not_come(SystemSolver& solver, MemoryPlan& plan);

/// Notes the rate of so many eliminations, whose seconds are in the report; returns their flops,
/// none of a Krylov method, which computes by memory's speed.
double note_rate(const SystemSolver& solver, const SystemForm& form, int eliminations,
                 SolveReport& report);

/// Adds the notes of the method, of what its user might do otherwise, and of trust. `flops` as
/// note_rate() returns them.
void add_notes(const SystemSolver& solver, const Config& config, double flops, SolveReport& report);

}  // namespace spsolve::task
