#include <omp.h>

#include "process/system.hpp"
#include "sparse/ranks/ranks_table.hpp"
#include "task/backend.hpp"
#include "task/begin.hpp"
#include "task/gpu_memory.hpp"
#include "task/solve/solve.hpp"
#include "task/solve/solve_plan.hpp"
#include "task/solve/system_known.hpp"

namespace spsolve::inline task {

namespace {

/// The memory that other numbers of ranks would take, a table for rank 0 to show.
std::string table_of_ranks(const SolverQuestion& question, Team& team, int most) {
  const FactorizationEstimate& estimate = question.pattern_analysis.estimate;
  if (!estimate.analysed) {
    fail_everywhere(ExitCode::input,
                    "--ranks asks for what a sparse elimination takes, and this system is not "
                    "analysed for one; use solve.method=sparse_lu");
  }
  return together(team, [&] {
    if (team.rank() > 0) return std::string();
    const SparseAnalysis& analysis = *question.pattern_analysis.analysis;
    return ranks_table(analysis, estimate.kind, most,
                       question.memory == MemoryKind::gpu
                           ? speed_of_gpus(analysis.fronts, estimate.kind)
                           : speed_of_hosts(analysis.fronts, estimate.kind, estimate.threads));
  });
}

/// plan_solve() with all ranks of the team.
MemoryCheck plan_over(const Config& config, Team& team, const Gpus& gpus, MemoryPlan& plan,
                      int most_ranks) {
  take_threads(config, team);
  const SystemShape shape = shape_for_all(config, team);
  const LateAnalysis late = [&] { return analyse_pattern_instead(config, shape, team); };
  const Rotated rotated = rotated_by(config);
  PatternAnalysis pattern_analysis;
  const std::int64_t resident = resident_memory();
  if (may_be_sparse(config)) {
    if (MemoryCheck reading = check_reading(config, shape, team, plan); !reading.fits)
      return reading;
    const Csr<double> whole = together(
        team, [&] { return team.rank() == 0 ? load_rotated(config.matrix) : Csr<double>{}; });
    pattern_analysis = most_ranks > 0
                           ? analyse_pattern_for(config, team, whole)
                           : analyse_pattern_for_run(config, shape, team, whole, {}, gpus);
  }
  TaskReport ignored;
  const bool on_gpu = wants_gpu_elimination(config, shape.matrix.rows, team, gpus, ignored);
  if (on_gpu && !gpus.dense_bytes) {
    fail_everywhere(ExitCode::resources, "device=cuda: {}", gpus.why_none);
  }
  const bool on_hosts =
      !on_gpu || stays_on_hosts(config, shape, pattern_analysis, team.size(), gpus.dense_bytes);
  SolverQuestion question =
      question_for(config, shape, team.size(), on_hosts ? GpuDenseBytes{} : gpus.dense_bytes,
                   std::move(pattern_analysis));
  std::string note;
  MemoryCheck check = plan_what_fits(
      question, rotated, resident, team, plan,
      on_hosts ? std::nullopt : free_memory_of_own_gpu(config, team, gpus), note, late);
  if (!note.empty()) plan.about = note + "\n" + plan.about;
  if (most_ranks > 0) plan.about += table_of_ranks(question, team, most_ranks);
  return check;
}

}  // namespace

MemoryCheck plan_solve(const Config& config, Team& team, const Gpus& gpus, MemoryPlan& plan,
                       int most_ranks) {
  if (!solves_alone(config, team, gpus)) return plan_over(config, team, gpus, plan, most_ranks);
  MemoryCheck check = together(team, [&] {
    SoloTeam alone;
    return team.rank() == 0 ? plan_over(config, alone, gpus, plan, most_ranks) : MemoryCheck{};
  });
  check.fits = broadcast_value(team, check.fits, 0);
  return check;
}

}  // namespace spsolve::task
