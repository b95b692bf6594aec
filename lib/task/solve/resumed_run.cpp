#include "task/solve/resumed_run.hpp"

#include "dense/state/flops.hpp"

namespace spsolve::inline task {

double flops_here(const SolveReport& report, const SystemSolver& solver, Index order) {
  const double flops = solver.flops();
  if (!report.checkpoint || !report.checkpoint->resumed_step) return flops;
  if (const auto& done = report.checkpoint->resumed_work) return flops * (1.0 - *done);
  return flops *
         (1.0 - share_done(solver.choice().method, *report.checkpoint->resumed_step, order));
}

void tell_apart(const Checkpoints& checkpoints, PhaseTimes& times, SolveReport& report) {
  const CheckpointStatistics& statistics = checkpoints.statistics();
  times.add("eliminate", -statistics.seconds - statistics.resume_seconds);
  times.add("resume", statistics.resume_seconds);
  times.add("checkpoint", statistics.seconds);
  report.notes.insert(report.notes.end(), statistics.notes.begin(), statistics.notes.end());
  report.checkpoint = statistics;
}

}  // namespace spsolve::task
