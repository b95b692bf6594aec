// spbench iterate.

#include <iostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/bench/bandwidth.hpp"
#include "apps/bench/iterate/iterate_bench.hpp"
#include "apps/bench/peers/peer_words.hpp"
#include "apps/bench/sparse/spbench_sparse.hpp"
#include "apps/bench/spbench.hpp"
#include "apps/bench/spbench_devices.hpp"
#include "apps/line/command_line.hpp"
#include "process/system.hpp"

namespace spsolve {

namespace {

struct IterateOptions {
  BenchOptions files;
  std::vector<std::string> methods{"cg"};
  std::vector<std::string> preconditioners{"auto"};
  std::vector<std::string> peers{"all"};
  std::string device = "host";
  bool share_gpus = false;
  bool triad = true;
  Index columns = 1;
  double tolerance = 1e-8;
  int samples = 5;
  int threads = 1;
  SolverOptions options;
};

bench::IterationPlan plan_of(const IterateOptions& options) {
  bench::IterationPlan plan;
  const std::vector<std::string> none{"none"};
  plan.methods =
      options.methods == none ? std::vector<Method>{} : choices_of<Method>(options.methods);
  for (const Method method : plan.methods) {
    if (is_krylov(method)) continue;
    fail(ExitCode::input, "{} does not iterate; spbench eliminate samples it", name(method));
  }
  plan.preconditioners = choices_of<Preconditioner>(options.preconditioners);
  if (options.peers != none) plan.peers = bench::peers_of(bench::iterative_peers(), options.peers);
  if (plan.methods.empty() && options.peers == none) {
    fail(ExitCode::input, "--methods none --peers none leaves nothing to be measured");
  }
  plan.options = options.options;
  plan.threads = options.threads;
  return plan;
}

/// Bytes a second that all ranks move at the same time. Collective.
double triad_of_all(Team& team, int threads) {
  wait_for_all(team);
  return all_sum(team,
                 together(team, [&] { return bench::measure_triad(threads).bytes_per_second; }));
}

void run_iterate(const IterateOptions& options, const bench::Environment& environment, Team& team) {
  const bool speaks = team.rank() == 0;
  bench::IterationPlan plan = together(team, [&] {
    if (speaks) require_folders(options.files);
    return plan_of(options);
  });
  const auto names = together(team, [&] { return matrix_names(options.files.matrices); });
  if (options.device == "cuda") plan.device = own_gpu(options.share_gpus, team);
  const auto candidates = bench::iteration_candidates(plan, team);
  const double triad = options.triad ? triad_of_all(team, options.threads) : 0;
  if (speaks) {
    print_out(to_text(environment) +
              bench::peers_left_out(bench::iterative_peers(), options.peers) +
              (triad > 0 ? fmt::format("triad of all ranks: {:.1f} GB/s\n", triad / 1e9) : ""));
  }
  std::vector<bench::IterationRow> all;
  for (const std::string& name : names) {
    bench::IterativeSystem system =
        bench::load_iterative_system(name, options.columns, options.tolerance, team);
    const auto rows = bench::sample_iterations(
        team, system, candidates, options.samples, triad,
        [](const std::string& line) { std::cerr << "  " << line << '\n'; });
    together(team, [&] {
      if (!speaks) return;
      all.insert(all.end(), rows.begin(), rows.end());
      std::vector<bench::IterationRow> measured;
      std::string refused;
      for (const bench::IterationRow& row : rows) {
        if (row.refused.empty()) {
          measured.push_back(row);
        } else {
          refused += fmt::format("refused: {}: {}\n", row.contender, row.refused);
        }
      }
      print_out(fmt::format("\n{}: n = {}, {} non-zeros, {}\n", name, system.bands.rows,
                            system.nonzeros, system.symmetric ? "symmetric" : "unsymmetric") +
                to_text(bench::tabulate(bench::iteration_columns(),
                                        std::span<const bench::IterationRow>(measured))) +
                refused);
      write_results(
          options.files, environment,
          bench::tabulate(bench::iteration_columns(), std::span<const bench::IterationRow>(all)));
    });
  }
}

}  // namespace

void add_iterate_command(CLI::App& app, const bench::Environment& environment, Team& team) {
  CLI::App* const command = app.add_subcommand(
      "iterate",
      "samples Krylov methods with their preconditioners on sparse systems, compared with those "
      "of other houses; under mpirun all of them on all ranks");
  const auto options = std::make_shared<IterateOptions>();
  options->threads = choose_threads(0, team.ranks_on_host());
  command
      ->add_option("--matrix", options->files.matrices,
                   "Matrix Market files or generators, with commas between; repeatable")
      ->required();
  command
      ->add_option("--methods", options->methods,
                   "cg, minres, gmres, bicgstab, idr, block_cg; none")
      ->delimiter(',')
      ->capture_default_str();
  command
      ->add_option("--preconditioners", options->preconditioners,
                   fmt::format("for each method: {}", fmt::join(preconditioner_words, ", ")))
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--peers", options->peers, "hypre, petsc; all of those that are here; none")
      ->delimiter(',')
      ->capture_default_str();
  command
      ->add_option("--tolerance", options->tolerance,
                   "||b - A x|| / ||b|| that is asked of everyone; own methods, which stop at "
                   "backward errors, are asked for that which it comes to")
      ->check(CLI::Range(1e-15, 0.5))
      ->capture_default_str();
  command->add_option("--columns", options->columns, "right-hand sides, random")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option("--restart", options->options.restart, "steps of a cycle of gmres")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--device", options->device, "where own methods iterate: host or cuda")
      ->check(CLI::IsMember({"host", "cuda"}))
      ->capture_default_str();
  command->add_flag("--share-gpus", options->share_gpus,
                    "several ranks: let them compute on one GPU");
  command->add_option("--threads", options->threads, "threads of each rank; peers take one")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command->add_option("--samples", options->samples, "rounds, after one that does not count")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_flag("!--no-triad", options->triad, "leave out the rate of memory, and the floor");
  command->add_option("--csv", options->files.csv, "file for the rows as CSV");
  command->add_option("--json", options->files.json, "file for environment and rows as JSON");
  command->footer([] {
    return bench::help_of_peers(bench::iterative_peers()) +
           "Columns of CSV and JSON (in CSV followed by the environment):\n" +
           bench::help_of(bench::iteration_columns());
  });
  command->callback([options, environment, &team] { run_iterate(*options, environment, team); });
}

}  // namespace spsolve
