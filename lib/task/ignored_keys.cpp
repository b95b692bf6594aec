#include "task/ignored_keys.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "config/schema.hpp"
#include "io/file_pattern.hpp"

namespace spsolve::inline task {

namespace {

/// The facts of a run, as far as keys have something to say to them.
struct Run {
  const Config& config;
  Method taken;
  bool on_gpu;
  const InverseFacts& facts;
};

/// Keys that count only where `counts` says so.
struct Rule {
  Task task;
  std::vector<std::string_view> keys;
  bool (*counts)(const Run& run);
  std::string (*reason)(const Run& run);  ///< why not, where they do not
};

/// The method that took the place of `auto`, for a sentence.
std::string method_taken(const Run& run) {
  const bool by_itself = run.config.solve.method == Method::automatic;
  return fmt::format("{}{}", by_itself ? "auto took " : "", name(run.taken));
}

const std::vector<Rule>& rules() {
  static const std::vector<Rule> table{
      {Task::solve,
       {"solve.ordering", "solve.analysis_file", "solve.factors", "solve.factors_folder"},
       [](const Run& run) {
         return is_sparse(run.taken) ||
                run.config.solve.preconditioner == Preconditioner::elimination;
       },
       [](const Run& run) {
         return fmt::format(
             "{}, and sparse elimination alone has an order; name such a method, as "
             "solve.method=sparse_lu",
             method_taken(run));
       }},
      {Task::solve,
       {"solve.matching"},
       [](const Run& run) {
         return run.taken == Method::sparse_ldlt || run.taken == Method::sparse_lu;
       },
       [](const Run& run) {
         return fmt::format("{}, and L D L^T and sparse L U alone match rows", method_taken(run));
       }},
      {Task::solve,
       {"solve.block"},
       [](const Run& run) { return run.taken == Method::lu; },
       [](const Run& run) {
         return fmt::format("{}, and lu alone has panels", method_taken(run));
       }},
      {Task::solve,
       {"solve.preconditioner", "solve.tolerance", "solve.iterations", "solve.time_limit",
        "solve.initial_guess"},
       [](const Run& run) { return is_krylov(run.taken); },
       [](const Run& run) {
         return fmt::format("{}, which takes no steps as Krylov methods do", method_taken(run));
       }},
      {Task::solve,
       {"solve.coordinates"},
       [](const Run& run) {
         return run.facts.krylov &&
                run.facts.krylov->preconditioner == name(Preconditioner::multigrid);
       },
       [](const Run& run) {
         return run.facts.krylov
                    ? fmt::format("the preconditioner was {}, and multigrid alone knows of nodes",
                                  run.facts.krylov->preconditioner)
                    : fmt::format("{}, and multigrid alone knows of nodes", method_taken(run));
       }},
      {Task::solve,
       {"solve.restart"},
       [](const Run& run) { return run.taken == Method::gmres; },
       [](const Run& run) {
         return fmt::format("{}, and gmres alone begins anew", method_taken(run));
       }},
      {Task::solve,
       {"right_hand_side.seed"},
       [](const Run& run) { return run.config.right_hand_side.kind == RightHandSideKind::random; },
       [](const Run&) { return std::string("the right-hand side is not random"); }},
      {Task::solve,
       {"right_hand_side.columns"},
       [](const Run& run) { return run.config.right_hand_side.kind != RightHandSideKind::file; },
       [](const Run&) { return std::string("all columns of the file are taken"); }},
      {Task::solve,
       {"checkpoint.interval"},
       [](const Run& run) { return !run.config.checkpoint.directory.empty(); },
       [](const Run&) { return std::string("checkpoint.directory names no folder"); }},
      {Task::solve,
       {"checkpoint.resume"},
       [](const Run& run) {
         return !run.config.checkpoint.directory.empty() || !run.config.checkpoint.systems.empty();
       },
       [](const Run&) { return std::string("checkpoint.directory names no folder"); }},
      {Task::solve,
       {"checkpoint.systems"},
       [](const Run& run) {
         return io::is_pattern(run.config.right_hand_side.file) ||
                io::is_pattern(run.config.matrix.values);
       },
       [](const Run&) { return std::string("one system was solved"); }},
      {Task::multiply,
       {"multiply.seed"},
       [](const Run& run) { return run.config.multiply.x.kind == MultivectorKind::random; },
       [](const Run&) { return std::string("X is not random"); }},
      {Task::multiply,
       {"multiply.columns"},
       [](const Run& run) { return run.config.multiply.x.kind != MultivectorKind::file; },
       [](const Run&) { return std::string("all columns of the file are taken"); }},
  };
  return table;
}

const Rule about_gpus[] = {
    {Task::solve,
     {"transport", "share_gpus"},
     [](const Run& run) { return run.on_gpu; },
     [](const Run&) { return std::string("it was computed on hosts, not on GPUs"); }},
};

/// The keys whose values are not the defaults.
std::vector<std::string_view> set_keys(const Config& config,
                                       const std::vector<std::string_view>& keys) {
  std::vector<std::string_view> set;
  for (const std::string_view key : keys) {
    const Option& option = *find_option(key);
    if (option.get(config) != option.get(Config{})) set.push_back(key);
  }
  return set;
}

}  // namespace

std::vector<std::string> notes_on_ignored_keys(const Config& config, Method taken, bool on_gpu,
                                               const InverseFacts& facts) {
  const Run run{config, taken, on_gpu, facts};
  std::vector<std::string> notes;
  const auto look = [&](const Rule& rule) {
    const auto keys = set_keys(config, rule.keys);
    if (keys.empty() || rule.counts(run)) return;
    notes.push_back(
        fmt::format("{} changed nothing: {}", fmt::join(keys, " and "), rule.reason(run)));
  };
  for (const Rule& rule : rules()) {
    if (rule.task == config.task) look(rule);
  }
  for (const Rule& rule : about_gpus) look(rule);
  return notes;
}

}  // namespace spsolve::task
