#include "task/solve/solve_plan.hpp"

#include <algorithm>

#include "core/tuning.hpp"
#include "dense/host_device.hpp"
#include "distribute/reading/read_in_bands.hpp"
#include "process/system.hpp"
#include "task/backend.hpp"
#include "task/gpu_memory.hpp"
#include "task/input/right_hand_side.hpp"
#include "vectors/vector_bytes.hpp"

namespace spsolve::inline task {

namespace {

/// The plans of the ranks of a team of any size for `question`.
PlanFor planner(const SolverQuestion& question, Rotated rotated, std::int64_t resident) {
  return [=](int rank, int ranks) {
    SolverQuestion there = question;
    there.ranks = ranks;
    // The method that these ranks take: `auto` might take another one on more.
    MemoryPlan plan = plan_system(choose_solver(question), there, rank);
    if (rank == 0 && rotated.matrix && !there.reads_together) plan_rotation(plan, there.shape);
    if (rotated.right_hand_sides) {
      const Index height = RowLayout{there.shape.rows, ranks}.height(rank);
      plan.parts.push_back({"prepare", "right-hand sides being rotated, and on their way",
                            3 * vectors_bytes(height, there.right_hand_sides)});
    }
    plan.resident = resident;
    return plan;
  };
}

/// The question of the system by another method, with all that does not go with it left to the
/// program, and the words that ask for it.
std::pair<SolverQuestion, std::string> by_method(const SolverQuestion& question, Method method) {
  SolverQuestion changed = question;
  std::string words = fmt::format("solve.method={}", name(method));
  changed.options.method = method;
  if (!why_not(method, changed.options.pivoting).empty()) {
    changed.options.pivoting = Pivoting::automatic;
    words += " with solve.pivoting=auto";
  }
  if (is_krylov(method) && changed.options.precision != Precision::float64) {
    changed.options.precision = Precision::float64;
    words += " with solve.precision=double";
  }
  return {std::move(changed), std::move(words)};
}

/// Methods that may need less memory than the one that is taken, those that people should try first
/// before the others: the sparse one that the analysis was made for, a Krylov method for the same
/// kind of matrix, blocked elimination.
std::vector<Method> methods_instead(const SolverQuestion& question) {
  std::vector<Method> methods;
  const FactorizationEstimate& estimate = question.pattern_analysis.estimate;
  if (estimate.analysed) {
    for (const Method method : {Method::sparse_cholesky, Method::sparse_ldlt, Method::sparse_lu}) {
      if (factorization_of(method) == estimate.kind) methods.push_back(method);
    }
  }
  const bool definite = estimate.analysed && estimate.kind == Factorization::cholesky;
  const bool symmetric = estimate.analysed && estimate.facts.nearly_symmetric;
  methods.push_back(definite ? Method::cg : symmetric ? Method::minres : Method::gmres);
  methods.push_back(Method::lu);
  std::erase(methods, choose_solver(question).method);
  return methods;
}

/// Other choices that may need less memory.
std::vector<Remedy> remedies(const SolverQuestion& question, Rotated rotated,
                             std::int64_t resident) {
  std::vector<Remedy> ways;
  const auto is_refused = [](Method method, const SolverQuestion& asked) {
    const auto& table = solver_table();
    const auto row = std::ranges::find(table, method, &SolverRow::method);
    return row != table.end() && !row->refuse(asked).empty();
  };
  const auto offer = [&](std::string words, const auto& change) {
    SolverQuestion changed = question;
    change(changed);
    if (is_refused(changed.options.method, changed)) return;
    ways.push_back({std::move(words), planner(changed, rotated, resident)});
  };
  const auto offer_precision = [&](Precision precision) {
    offer(fmt::format("solve.precision={}", name(precision)),
          [&](SolverQuestion& changed) { changed.options.precision = precision; });
  };
  // A matrix that was analysed is on rank 0 as a whole.
  if (question.ranks > 1 && !question.pattern_analysis.estimate.analysed &&
      !question.reads_together) {
    offer("matrix.reader=parallel", [](SolverQuestion& changed) {
      changed.reads_together = ReadingTogether{BandedReading{}.piece_bytes, false};
    });
  }
  for (const Method method : methods_instead(question)) {
    auto [changed, words] = by_method(question, method);
    // The diagonal alone has spoken for it.
    if (method == Method::sparse_cholesky) {
      changed.options.method = Method::automatic;
      words.replace(0, std::string_view("solve.method=sparse_cholesky").size(),
                    "solve.method=auto (sparse_cholesky)");
    }
    if (method == Method::cg) words += " (minres where A is not positive definite)";
    if (is_refused(method, changed)) continue;
    ways.push_back({std::move(words), planner(changed, rotated, resident)});
  }
  if (question.options.precision == Precision::float64) offer_precision(Precision::mixed);
  if (question.options.precision != Precision::float32) offer_precision(Precision::float32);
  if (question.gpu) {
    offer("device=host", [](SolverQuestion& changed) {
      changed.memory = MemoryKind::host;
      changed.gpu = {};
    });
  }
  return ways;
}

}  // namespace

SolverQuestion question_for(const Config& config, const SystemShape& shape, int ranks,
                            const GpuDenseBytes& gpu, PatternAnalysis pattern_analysis) {
  SolverQuestion question;
  question.shape = shape.matrix;
  question.right_hand_sides = shape.right_hand_sides;
  question.options = config.solve;
  question.ranks = ranks;
  question.threads = shape.threads;
  question.memory = gpu ? MemoryKind::gpu : MemoryKind::host;
  question.gpu = gpu;
  question.reads_together = shape.reads_together;
  question.wants_checkpoints = !config.checkpoint.directory.empty();
  question.null_vectors = shape.null_vectors;
  question.guesses = !config.solve.initial_guess.empty();
  question.pattern_analysis = std::move(pattern_analysis);
  return question;
}

Remedy iterated_in_bands(const Config& config, const SystemShape& shape, std::int64_t resident) {
  SystemShape in_bands = shape;
  in_bands.reads_together = ReadingTogether{BandedReading{}.piece_bytes, false};
  auto [question, words] = by_method(question_for(config, in_bands, 1, {}), Method::cg);
  return {words + " (gmres where A is not symmetric) with matrix.reader=parallel",
          planner(question, rotated_by(config), resident)};
}

Rotated rotated_by(const Config& config) {
  const bool rotates = config.matrix.rotate_rows != 0;
  return {rotates, rotates && rotates_with_rows(config.right_hand_side)};
}

bool may_be_sparse(const Config& config) {
  if (is_sparse(config.solve.method)) return true;
  return config.solve.method == Method::automatic && config.solve.pivoting == Pivoting::automatic;
}

MemoryKind memory_asked_for(const Config& config) {
  return config.device == DeviceChoice::cuda ? MemoryKind::gpu : MemoryKind::host;
}

PatternAnalysis analyse_pattern_for(const Config& config, Team& team, const Csr<double>& whole,
                                    const AnalysisCache& cache) {
  if (!may_be_sparse(config)) return {};
  return analyse_pattern(team, whole, config.solve, memory_asked_for(config), cache);
}

bool stays_on_hosts(const Config& config, const SystemShape& shape,
                    const PatternAnalysis& pattern_analysis, int ranks, const GpuDenseBytes& gpu) {
  if (!gpu || config.device == DeviceChoice::host) return true;
  if (config.device == DeviceChoice::cuda || !pattern_analysis.estimate.analysed) return false;
  const SolverQuestion on_hosts = question_for(config, shape, ranks, {}, pattern_analysis);
  const SolverQuestion on_gpus = question_for(config, shape, ranks, gpu, pattern_analysis);
  return choose_solver(on_hosts).analyse(on_hosts).seconds <=
         gpu_tuning.seconds_of_start + choose_solver(on_gpus).analyse(on_gpus).seconds;
}

std::unique_ptr<ComputeDevice> place_system(const Config& config, const SystemShape& shape,
                                            const PatternAnalysis& pattern_analysis, Team& team,
                                            const Gpus& gpus, TaskReport& report) {
  TaskReport ignored;
  const bool on_gpu = wants_gpu_elimination(config, shape.matrix.rows, team, gpus, ignored);
  if (on_gpu && gpus.dense_bytes &&
      stays_on_hosts(config, shape, pattern_analysis, team.size(), gpus.dense_bytes)) {
    report.device = "host";
    return std::make_unique<HostDevice>(team);
  }
  return choose_dense_memory(config, shape.matrix.rows, team, gpus, report);
}

MemoryCheck plan_question(const SolverQuestion& question, Rotated rotated, std::int64_t resident,
                          Team& team, MemoryPlan& plan, std::optional<std::int64_t> gpu_available,
                          const LateAnalysis& late_analysis) {
  const PlanFor plans = planner(question, rotated, resident);
  plan = plans(team.rank(), team.size());
  MemoryCheck check = check_memory(team, plan, plans, {}, gpu_available);
  if (check.fits) return check;
  SolverQuestion analysed_question = question;
  if (late_analysis && !question.pattern_analysis.estimate.analysed)
    analysed_question.pattern_analysis = late_analysis();
  return check_memory(team, plan, plans, remedies(analysed_question, rotated, resident),
                      gpu_available);
}

MemoryCheck plan_what_fits(SolverQuestion& question, Rotated rotated, std::int64_t resident,
                           Team& team, MemoryPlan& plan, std::optional<std::int64_t> gpu_available,
                           std::string& note, const LateAnalysis& late_analysis) {
  if (gpu_available) question.gpu_memory = *gpu_available;
  MemoryCheck check =
      plan_question(question, rotated, resident, team, plan, gpu_available, late_analysis);
  const FactorizationEstimate& estimate = question.pattern_analysis.estimate;
  if (check.fits || question.options.method != Method::automatic || !estimate.analysed)
    return check;
  SolverQuestion other = question;
  other.options.method = !estimate.facts.nearly_symmetric   ? Method::gmres
                         : estimate.facts.positive_diagonal ? Method::cg
                                                            : Method::minres;
  other.pattern_analysis.analysis = nullptr;
  const bool refused = std::ranges::any_of(solver_table(), [&](const SolverRow& row) {
    return row.method == other.options.method && !row.refuse(other).empty();
  });
  if (refused) return check;
  MemoryPlan smaller;
  MemoryCheck other_check = plan_question(other, rotated, resident, team, smaller, gpu_available);
  if (!other_check.fits) return check;
  note = fmt::format(
      "auto took {}, as {} needs more memory than there is; Krylov methods converge where the "
      "preconditioner suits the matrix",
      name(other.options.method), name(choose_solver(question).method));
  question = std::move(other);
  plan = std::move(smaller);
  return other_check;
}

BeforeDouble check_in_double(const SolverQuestion& question, Team& team, const Gpus& gpus) {
  return [question, &team, &gpus](const std::string& why) {
    const PlanFor plans = [&](int rank, int ranks) {
      SolverQuestion there = question;
      there.ranks = ranks;
      return choose_solver(question).plan_in_double(there, rank);
    };
    MemoryPlan mine = plans(team.rank(), team.size());
    mine.resident = resident_memory();
    const MemoryCheck check =
        check_memory(team, mine, plans, {}, question.gpu ? free_gpu_memory(gpus) : std::nullopt);
    if (check.fits) return;
    fail_everywhere(ExitCode::resources,
                    "{}, and its elimination in double does not fit into memory; {}\n{}", why,
                    check.remedy, to_text(mine, check));
  };
}

}  // namespace spsolve::task
