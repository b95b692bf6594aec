#include "task/solve_plan.hpp"

#include "core/system.hpp"
#include "task/gpu_memory.hpp"

namespace spsolve {

namespace {

SolveNeeds needs_of(const Config& config, const SystemShape& shape) {
  return {shape.right_hand_sides, config.solve.condition, config.solve.equilibrate};
}

/// The plans of the ranks of a team of any size for `config`, with dense bands in GPU memory where
/// `gpu` says what they take.
PlanFor planner(const Config& config, const SystemShape& shape, const GpuBandBytes& gpu) {
  const SolveNeeds needs = needs_of(config, shape);
  const bool rotates = config.matrix.rotate_rows != 0;
  return [=](int rank, int ranks) {
    const BandMemory memory = gpu ? BandMemory::gpu : BandMemory::host;
    const EliminationChoice choice = choice_for(config, shape.matrix.rows, ranks, memory);
    MemoryPlan plan = plan_elimination(shape.matrix, choice, rank, ranks, needs, gpu);
    if (rank == 0 && rotates) plan_rotation(plan, shape.matrix);
    plan.resident = resident_memory();
    return plan;
  };
}

/// Other choices that may need less memory.
std::vector<Remedy> remedies(const Config& config, const SystemShape& shape,
                             const GpuBandBytes& gpu) {
  std::vector<Remedy> ways;
  const auto offer_precision = [&](const char* words, Precision precision) {
    Config changed = config;
    changed.solve.precision = precision;
    ways.push_back({words, planner(changed, shape, gpu)});
  };
  if (config.solve.precision == Precision::float64) {
    offer_precision("solve.precision=mixed", Precision::mixed);
  }
  if (config.solve.precision != Precision::float32) {
    offer_precision("solve.precision=float", Precision::float32);
  }
  const bool may_be_gauss = config.solve.pivoting != Pivoting::tournament;
  if (may_be_gauss &&
      (config.solve.method == Method::lu || config.solve.method == Method::automatic)) {
    Config changed = config;
    changed.solve.method = Method::gauss;
    ways.push_back({"solve.method=gauss", planner(changed, shape, gpu)});
  }
  if (gpu) ways.push_back({"device=host", planner(config, shape, {})});
  return ways;
}

}  // namespace

EliminationChoice choice_for(const Config& config, Index order, int ranks, BandMemory memory) {
  const auto& wanted = config.solve;
  return choose_elimination(wanted.method, wanted.pivoting, wanted.precision, wanted.block, order,
                            ranks, memory);
}

MemoryCheck plan_shape(const Config& config, const SystemShape& shape, Team& team, MemoryPlan& plan,
                       const GpuBandBytes& gpu, std::optional<std::int64_t> gpu_available) {
  const PlanFor plans = planner(config, shape, gpu);
  plan = plans(team.rank(), team.size());
  return check_memory(team, plan, plans, remedies(config, shape, gpu), gpu_available);
}

BeforeDouble check_in_double(const Config& config, const SystemShape& shape, Team& team,
                             const BandFactory& dense, const Gpus& gpus) {
  return [&](const std::string& why) {
    const bool on_gpu = dense.memory() == BandMemory::gpu;
    const PlanFor plans = [&](int rank, int ranks) {
      const EliminationChoice choice = choice_for(config, shape.matrix.rows, ranks, dense.memory());
      return plan_in_double(shape.matrix, choice, rank, ranks, needs_of(config, shape),
                            on_gpu ? gpus.band_bytes : GpuBandBytes{});
    };
    MemoryPlan mine = plans(team.rank(), team.size());
    mine.resident = resident_memory();
    const MemoryCheck check =
        check_memory(team, mine, plans, {}, on_gpu ? free_gpu_memory(gpus) : std::nullopt);
    if (check.fits) return;
    fail_everywhere(ExitCode::resources,
                    "{}, and its elimination in double does not fit into memory; {}\n{}", why,
                    check.remedy, to_text(mine, check));
  };
}

}  // namespace spsolve
