#include <optional>

#include "choice/system_choice.hpp"
#include "core/names/row_names.hpp"
#include "process/heartbeat.hpp"
#include "process/log.hpp"
#include "process/system.hpp"
#include "sparse/ranks/ranks_table.hpp"
#include "system/coordinates.hpp"
#include "task/begin.hpp"
#include "task/solve/solve.hpp"
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

/// Non-zeros from which on reading and analysing take seconds.
constexpr Index many_nonzeros = 1'000'000;

/// Tells what is known of a system's memory before its matrix is read: what iterating would take.
void tell_first_estimate(const Config& config, const SystemShape& shape, Team& team,
                         const Gpus& gpus) {
  Config iterates = config;
  iterates.solve.method = Method::gmres;
  iterates.solve.precision = Precision::float64;
  SystemChoice choice(iterates, shape, team, gpus);
  MemoryPlan plan;
  choice.plan(resident_memory(), std::nullopt, plan, {});
  log_line(fmt::format(
      "first estimate: {} rows and {} non-zeros, {} of memory to iterate (solve.method=gmres or "
      "cg); "
      "what an elimination takes is told once the pattern is analysed",
      shape.matrix.order(), shape.matrix.nonzeros / (shape.matrix.parts * shape.matrix.parts),
      readable_bytes(plan.resident + plan.peak())));
}

/// The outcome of a plan that rank 0 makes alone, for the others.
template <typename Plan>
MemoryCheck by_rank_0(Team& team, const Plan& plan) {
  MemoryCheck check = together(team, [&] {
    SoloTeam alone;
    return team.rank() == 0 ? plan(alone) : MemoryCheck{};
  });
  check.fits = broadcast_value(team, check.fits, 0);
  return check;
}

/// plan_solve() with all ranks of the team.
MemoryCheck plan_over(const Config& config, Team& team, const Gpus& gpus, MemoryPlan& plan,
                      int most_ranks) {
  SystemShape shape = shape_for_all(config, team);
  take_threads(config, team, shape);
  // A table is that of an elimination.
  shape.is_solved_once = shape.is_solved_once && most_ranks == 0;
  const RowNames names(shape.matrix.parts);
  const std::int64_t resident = resident_memory();
  SystemChoice choice(config, shape, team, gpus);
  std::optional<Heartbeat> beats;
  if (may_be_sparse(config, shape.matrix)) {
    if (MemoryCheck reading = check_reading(config, shape, team, plan); !reading.fits)
      return reading;
    if (shape.matrix.nonzeros >= many_nonzeros) {
      tell_first_estimate(config, shape, team, gpus);
      if (team.rank() == 0) beats.emplace("reading and analysing the matrix");
    }
    const Csr<double> whole = together(
        team, [&] { return team.rank() == 0 ? load_rotated(config).rows : Csr<double>{}; });
    choice.analyse(whole, find_coordinates(team, config, shape.matrix.rows).dimensions > 0);
  }
  const auto plan_by = [&](SystemChoice& by, Team& those) {
    const std::optional<std::int64_t> gpu_available = by.place_for_plan();
    MemoryCheck check = by.plan(resident, gpu_available, plan,
                                [&] { return analyse_pattern_instead(config, shape, those); });
    if (!by.note().empty()) plan.about = by.note() + "\n" + plan.about;
    // Factors on disk are planned by the analysis, which rank 0 has.
    if (those.rank() == 0) plan.about += by.alternatives(resident, check);
    return check;
  };
  if (most_ranks == 0 && choice.leaves_to_one_gpu(resident)) {
    return by_rank_0(team, [&](Team& alone) {
      SystemChoice of_one(config, shape, alone, gpus);
      of_one.take(choice.question().pattern_analysis);
      return plan_by(of_one, alone);
    });
  }
  const MemoryCheck check = plan_by(choice, team);
  if (most_ranks > 0) plan.about += table_of_ranks(choice.question(), team, most_ranks);
  return check;
}

}  // namespace

MemoryCheck plan_solve(const Config& config, Team& team, const Gpus& gpus, MemoryPlan& plan,
                       int most_ranks) {
  if (!solves_alone(config, team, gpus, [&] { return shape_for_all(config, team).matrix.rows; }))
    return plan_over(config, team, gpus, plan, most_ranks);
  return by_rank_0(team,
                   [&](Team& alone) { return plan_over(config, alone, gpus, plan, most_ranks); });
}

}  // namespace spsolve::task
