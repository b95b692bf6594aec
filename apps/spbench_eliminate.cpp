// spbench eliminate.

#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include "apps/spbench.hpp"
#include "apps/spbench_devices.hpp"
#include "bench/eliminate_bench.hpp"
#include "config/config.hpp"
#include "core/did_you_mean.hpp"
#include "core/error.hpp"
#include "core/system.hpp"

namespace spsolve {

namespace {

struct EliminateOptions {
  BenchOptions files;
  bench::EliminationPlan plan;
  std::vector<std::string> methods{"lu"};
  std::vector<std::string> precisions{"double"};
  std::string pivoting = "auto";
  std::string device = "host";
  bool no_peers = false;
};

/// The enumerator that `word` names; Error(input) with a "did you mean" where there is none.
template <typename Choice>
Choice choice_of(const std::string& word) {
  const Words words = words_of(Choice{});
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (words[k] == word) return static_cast<Choice>(k);
  }
  fail(ExitCode::input, "'{}' is none of {}{}", word, fmt::join(words, ", "),
       did_you_mean(word, words));
}

void run_eliminate_bench(EliminateOptions options, const bench::Environment& environment) {
  options.plan.methods.clear();
  for (const std::string& method : options.methods) {
    options.plan.methods.push_back(choice_of<Method>(method));
  }
  options.plan.precisions.clear();
  for (const std::string& precision : options.precisions) {
    options.plan.precisions.push_back(choice_of<Precision>(precision));
  }
  options.plan.pivoting = choice_of<Pivoting>(options.pivoting);
  options.plan.peers = !options.no_peers;
  const Index largest = *std::ranges::max_element(options.plan.orders);
  if (options.device == "host" && largest > 46000) {
    fail(ExitCode::input, "--n {}: on the host orders up to 46000 are sampled", largest);
  }
  std::cout << to_text(environment);
  const std::unique_ptr<bench::EliminationContest> contest =
      options.device == "cuda" ? gpu_contest() : std::make_unique<bench::HostContest>();
  const auto rows = bench::sample_eliminations(*contest, options.plan);
  const bench::Table table =
      bench::tabulate(bench::elimination_columns(), std::span<const bench::EliminationRow>(rows));
  std::cout << to_text(table) << std::flush;
  write_results(options.files, environment, table);
}

}  // namespace

void add_eliminate_command(CLI::App& app, const bench::Environment& environment) {
  CLI::App* const command = app.add_subcommand(
      "eliminate",
      "samples eliminations of random systems, beside LAPACK's dgesv or, on a GPU, cuSOLVER");
  const auto options = std::make_shared<EliminateOptions>();
  options->plan.threads = choose_threads(0, 1);
  command->add_option("--n", options->plan.orders, "orders, such as 1000,2000,4000")
      ->delimiter(',')
      ->required()
      ->check(CLI::Range(1, 130000));
  command->add_option("--methods", options->methods, "lu, gauss, gauss_jordan")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--block", options->plan.blocks, "columns of lu's panels; 0: its own choice")
      ->delimiter(',')
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command->add_option("--precision", options->precisions, "float, double, mixed")
      ->delimiter(',')
      ->capture_default_str();
  command
      ->add_option("--shift", options->plan.shift,
                   "adds this times sqrt(n / 3) to the diagonal of the uniformly random matrices: "
                   "their 2-norm condition is about 5 for 2, 220 for 1.05, 2 n for 0")
      ->check(CLI::Range(0.0, 1000.0))
      ->capture_default_str();
  command->add_flag("--condition", options->plan.condition,
                    "estimate the condition number of the first system");
  command->add_option("--pivoting", options->pivoting, "auto, none, partial or tournament")
      ->capture_default_str();
  command->add_option("--device", options->device, "host or cuda")
      ->check(CLI::IsMember({"host", "cuda"}))
      ->capture_default_str();
  command->add_flag("--no-peers", options->no_peers, "leave the libraries out");
  command->add_option("--threads", options->plan.threads, "threads")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command->add_option("--samples", options->plan.samples, "rounds")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--csv", options->files.csv, "file for the rows as CSV");
  command->add_option("--json", options->files.json, "file for environment and rows as JSON");
  command->footer([] {
    return "Columns of CSV and JSON (in CSV followed by the environment):\n" +
           bench::help_of(bench::elimination_columns());
  });
  command->callback([options, environment] { run_eliminate_bench(*options, environment); });
}

}  // namespace spsolve
