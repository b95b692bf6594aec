#include "choice/system_choice.hpp"

#include <algorithm>

#include "choice/alternatives.hpp"
#include "choice/gpu_memory.hpp"
#include "choice/place.hpp"
#include "core/tuning.hpp"
#include "dense/host_device.hpp"
#include "distribute/reading/read_in_bands.hpp"
#include "io/matrix_source.hpp"
#include "matrix/generate/generate.hpp"
#include "multiply/kernel/row_types.hpp"
#include "process/system.hpp"
#include "vectors/vector_bytes.hpp"

namespace spsolve::inline choice {

namespace {

/// The question of a system to the solver table, on hosts.
/// Whether products take these rows by types: see choose_rows().
bool are_of_few_types(const Csr<double>& rows) {
  return sampled_run(rows) >= host_tuning.rows_of_type_run;
}

/// The same of a matrix that is generated, by some hundred rows of its middle. Nobody knows of one
/// that is still to be read.
bool will_be_of_few_types(const Config& config, const MatrixShape& shape) {
  constexpr Index looked_at = 512;
  const std::string name = config.matrix.name();
  if (!means_generator(name)) return false;
  const Index first = std::max<Index>(0, (shape.rows - looked_at) / 2);
  return are_of_few_types(generate_rows(name, first, std::min(shape.rows, first + looked_at)));
}

SolverQuestion question_for(const Config& config, const SystemShape& shape, int ranks) {
  SolverQuestion question;
  question.shape = shape.matrix;
  question.right_hand_sides = shape.right_hand_sides;
  question.options = config.solve;
  question.ranks = ranks;
  question.threads = shape.threads;
  question.reads_together = shape.reads_together;
  question.wants_checkpoints = !config.checkpoint.directory.empty();
  question.null_vectors = shape.null_vectors;
  question.guesses = !config.solve.initial_guess.empty();
  question.rows_repeat =
      is_krylov(config.solve.method) && will_be_of_few_types(config, shape.matrix);
  return question;
}

/// The question of the system on GPUs, where `gpu` says how many bytes dense rows take there.
SolverQuestion on_gpus(SolverQuestion question, const GpuDenseBytes& gpu) {
  question.memory = gpu ? MemoryKind::gpu : MemoryKind::host;
  question.gpu = gpu;
  return question;
}

/// As choose_solver() predicts them.
double seconds_of(const SolverQuestion& question) {
  return choose_solver(question).analyse(question).seconds;
}

/// The memory where a system is eliminated for certain, or else that of hosts.
MemoryKind memory_asked_for(const Config& config) {
  return config.device == DeviceChoice::cuda ? MemoryKind::gpu : MemoryKind::host;
}

/// The check of a question. Where it does not fit, the remedy names what would.
MemoryCheck check_question(const SolverQuestion& question, const Planner& planner, Team& team,
                           MemoryPlan& plan, std::optional<std::int64_t> gpu_available,
                           const LateAnalysis& late_analysis) {
  const PlanFor plans = planner.of(question);
  plan = plans(team.rank(), team.size());
  MemoryCheck check = check_memory(team, plan, plans, {}, gpu_available);
  if (check.fits) return check;
  SolverQuestion analysed_question = question;
  if (late_analysis && !question.pattern_analysis.estimate.analysed)
    analysed_question.pattern_analysis = late_analysis();
  return check_memory(team, plan, plans, remedies(analysed_question, planner), gpu_available);
}

/// The question of an analysed system by the Krylov method that suits the matrix; nothing where it
/// does not do what is asked for.
std::optional<SolverQuestion> iterated(const SolverQuestion& question) {
  const FactorizationEstimate& estimate = question.pattern_analysis.estimate;
  SolverQuestion other = question;
  other.options.method = estimate.conjugated                ? Method::cocr
                         : !estimate.facts.nearly_symmetric ? Method::gmres
                         : estimate.facts.positive_diagonal ? Method::cg
                                                            : Method::minres;
  other.pattern_analysis.analysis = nullptr;
  // Who limits the time wants none after it.
  other.short_of_memory = other.options.time_limit <= 0;
  const bool refused = std::ranges::any_of(solver_table(), [&](const SolverRow& row) {
    return row.method == other.options.method && !row.refuse(other).empty();
  });
  return refused ? std::nullopt : std::optional(std::move(other));
}

}  // namespace

bool may_be_sparse(const Config& config, const MatrixShape& shape) {
  const SolverOptions& options = config.solve;
  if (is_sparse(options.method)) return true;
  if (options.method != Method::automatic || options.pivoting != Pivoting::automatic) return false;
  const auto n = static_cast<double>(shape.rows);
  const double most_density = shape.is_complex() ? host_tuning.most_density_of_complex_symmetric
                                                 : host_tuning.most_density_for_sparse;
  return options.null_space != NullSpaceKind::none ||
         static_cast<double>(shape.nonzeros) <= most_density * n * n ||
         shape.rows < host_tuning.least_order_for_sparse;
}

std::string_view real_only_key(const SolverOptions& options) {
  if (!options.coordinates.empty()) return "solve.coordinates";
  if (options.null_space != NullSpaceKind::none) return "solve.null_space";
  return "";
}

bool solves_alone(const Config& config, Team& team, const Gpus& gpus,
                  const std::function<Index()>& order) {
  const bool left_open =
      config.solve.ranks == SolvingRanks::automatic && config.solve.method == Method::automatic;
  if (team.size() == 1 || !left_open) return false;
  const Index n = order();
  TaskReport ignored;
  return n < gpu_tuning.least_order_for_all &&
         wants_gpu_elimination(config, n, team, gpus, ignored);
}

Remedy iterated_by_own_rows(const Config& config, const SystemShape& shape, std::int64_t resident) {
  SystemShape in_bands = shape;
  in_bands.reads_together = ReadingTogether{BandedReading{}.piece_bytes, false};
  auto [question, words] = by_method(question_for(config, in_bands, 1), Method::cg);
  return {words + " (gmres where A is not symmetric)", Planner{in_bands, resident}.of(question)};
}

Remedy iterated_in_bands(const Config& config, const SystemShape& shape, std::int64_t resident) {
  Remedy remedy = iterated_by_own_rows(config, shape, resident);
  remedy.words += " with matrix.reader=parallel";
  return remedy;
}

PatternAnalysis analyse_for_remedies(const Config& config, Team& team, const Csr<double>& whole) {
  SolverOptions options = config.solve;
  options.method = Method::automatic;
  options.pivoting = Pivoting::automatic;
  options.analysis_file.clear();
  return analyse_pattern(team, whole, options, memory_asked_for(config));
}

SystemChoice::SystemChoice(const Config& config, const SystemShape& shape, Team& team,
                           const Gpus& gpus)
    : config_(config),
      shape_(shape),
      team_(team),
      gpus_(gpus),
      question_(question_for(config, shape, team.size())) {}

void SystemChoice::analyse(const Csr<double>& whole, bool elastic, const AnalysisCache& cache,
                           Progress* progress) {
  if (!may_be_sparse(config_, shape_.matrix)) return;
  question_.rows_repeat = broadcast_value(team_, team_.rank() == 0 && are_of_few_types(whole), 0);
  const MemoryKind asked_for = memory_asked_for(config_);
  const bool left_open = config_.device == DeviceChoice::automatic && gpus_.dense_bytes;
  const bool is_large = shape_.matrix.nonzeros >= gpu_tuning.least_nonzeros_to_start_ahead;
  // GPUs eliminate the real form.
  const bool complex = shape_.matrix.is_complex() && asked_for == MemoryKind::host;
  // Of several right-hand sides at once factors are made.
  const bool may_iterate =
      shape_.is_solved_once || (shape_.systems > 1 && shape_.right_hand_sides == 1);
  const auto analyse_for_hosts = [&](bool alone) {
    SystemHints hints;
    hints.may_iterate = may_iterate && alone;
    hints.elastic = elastic;
    hints.complex = complex && alone;
    hints.may_use_disk = team_.size() == 1 && !question_.wants_checkpoints;
    hints.systems = shape_.systems;
    hints.progress = progress;
    question_.pattern_analysis =
        analyse_pattern(team_, whole, config_.solve, asked_for, cache, hints);
  };
  analyse_for_hosts(!(left_open && is_large && has_gpu()));
  const bool iterates = may_iterate && !question_.pattern_analysis.estimate.analysed;
  if (left_open && !is_large && (complex || iterates) && !is_done_before_gpus_start() &&
      has_gpu()) {
    analyse_for_hosts(false);
  }
  // Graphs and the pieces of them.
  if (question_.pattern_analysis.analysis != nullptr) hand_back_freed_memory();
}

bool SystemChoice::has_gpu() const {
  return all_sum(team_, gpus_.found().visible.empty() ? 0 : 1) > 0;
}

bool SystemChoice::is_done_before_gpus_start() const {
  if (gpus_.has_looked()) return false;
  try {
    const double seconds = seconds_of(question_);
    return seconds > 0 && seconds < gpu_tuning.seconds_of_driver + gpu_tuning.seconds_of_start;
  } catch (const Error&) {
    return false;  // no method of hosts takes it
  }
}

bool SystemChoice::takes_gpus(TaskReport& report) const {
  if (config_.device == DeviceChoice::automatic &&
      (config_.solve.factors == FactorPlace::disk || is_done_before_gpus_start())) {
    return false;
  }
  if (!wants_gpu_elimination(config_, shape_.matrix.rows, team_, gpus_, report)) return false;
  const bool is_analysed = question_.pattern_analysis.estimate.analysed;
  if (config_.device == DeviceChoice::cuda || !is_analysed) return true;
  return seconds_of(question_) >
         gpu_tuning.seconds_of_start + seconds_of(on_gpus(question_, gpus_.dense_bytes));
}

bool SystemChoice::leaves_to_one_gpu(std::int64_t resident) const {
  const Method method = config_.solve.method;
  const bool left_open = config_.solve.ranks == SolvingRanks::automatic && !shape_.reads_together &&
                         (method == Method::automatic || is_sparse(method));
  TaskReport ignored;
  if (team_.size() == 1 || !left_open || !takes_gpus(ignored) || !gpus_.dense_bytes) return false;
  const auto over_all = on_gpus(question_, gpus_.dense_bytes);
  const Method by = choose_solver(over_all).method;
  if (!is_sparse(by) && !is_krylov(by)) return false;
  SoloTeam solo;
  SystemChoice by_one(config_, shape_, solo, gpus_);
  const bool alone = together(team_, [&] {
    if (team_.rank() != 0) return false;
    by_one.take(question_.pattern_analysis);
    MemoryPlan plan;
    if (!by_one.plan(resident, by_one.place_for_plan(), plan, {}).fits) return false;
    const double saved = seconds_of(by_one.question_) - seconds_of(over_all);
    return saved * static_cast<double>(shape_.systems) < gpu_tuning.seconds_to_share;
  });
  return broadcast_value(team_, alone, 0);
}

std::unique_ptr<ComputeDevice> SystemChoice::place(TaskReport& report) {
  if (!takes_gpus(report)) {
    report.device = "host";
    return std::make_unique<HostDevice>(team_);
  }
  take_gpu(config_, team_, gpus_, report);
  report.device = "cuda";
  question_ = on_gpus(std::move(question_), gpus_.dense_bytes);
  return gpus_.dense(team_, config_.transport);
}

std::optional<std::int64_t> SystemChoice::place_for_plan() {
  TaskReport ignored;
  if (!takes_gpus(ignored)) return std::nullopt;
  if (!gpus_.dense_bytes) {
    fail_everywhere(ExitCode::resources, "device=cuda: {}", gpus_.found().why_none);
  }
  question_ = on_gpus(std::move(question_), gpus_.dense_bytes);
  return free_memory_of_own_gpu(config_, team_, gpus_);
}

MemoryCheck SystemChoice::plan(std::int64_t resident, std::optional<std::int64_t> gpu_available,
                               MemoryPlan& plan, const LateAnalysis& late_analysis) {
  if (gpu_available) question_.gpu_memory = *gpu_available;
  const Planner planner{shape_, resident};
  MemoryCheck check = check_question(question_, planner, team_, plan, gpu_available, late_analysis);
  const FactorMemory& factors = question_.pattern_analysis.estimate.memory;
  if (check.fits && factors.on_disk > 0 && is_sparse(row().method) &&
      question_.memory == MemoryKind::host && question_.options.factors == FactorPlace::automatic) {
    note_ = fmt::format(
        "the factors are on disk, {}, as memory has no room for them; "
        "solve.factors_folder names the folder",
        readable_bytes(factors.on_disk));
  }
  if (check.fits || question_.options.method != Method::automatic ||
      !question_.pattern_analysis.estimate.analysed) {
    return check;
  }
  MemoryPlan smaller;
  if (question_.options.precision == Precision::float64) {
    SolverQuestion mixed = question_;
    mixed.options.precision = Precision::mixed;
    MemoryCheck mixed_check = check_question(mixed, planner, team_, smaller, gpu_available, {});
    if (mixed_check.fits) {
      note_ = fmt::format(
          "auto eliminates in float, as {} in double needs more memory than there "
          "is; solutions are of double all the same",
          name(row().method));
      question_ = std::move(mixed);
      plan = std::move(smaller);
      return mixed_check;
    }
  }
  std::optional<SolverQuestion> other = iterated(question_);
  if (!other) return check;
  MemoryCheck other_check = check_question(*other, planner, team_, smaller, gpu_available, {});
  if (!other_check.fits) return check;
  note_ = fmt::format(
      "auto took {}, as {} needs more memory than there is; Krylov methods converge where the "
      "preconditioner suits the matrix",
      name(other->options.method), name(row().method));
  question_ = std::move(*other);
  plan = std::move(smaller);
  return other_check;
}

std::string SystemChoice::alternatives(std::int64_t resident, const MemoryCheck& check) const {
  return to_text(choice::alternatives(question_, Planner{shape_, resident}, check));
}

BeforeDouble SystemChoice::check_in_double() const {
  return [question = question_, &team = team_, gpus = gpus_](const std::string& why) {
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

}  // namespace spsolve::choice
