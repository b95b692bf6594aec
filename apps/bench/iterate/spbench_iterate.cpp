// spbench iterate.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/bench/bandwidth.hpp"
#include "apps/bench/iterate/iterate_bench.hpp"
#include "apps/bench/peers/peer_words.hpp"
#include "apps/bench/sparse/spbench_sparse.hpp"
#include "apps/bench/spbench.hpp"
#include "apps/bench/spbench_devices.hpp"
#include "process/system.hpp"

namespace spsolve {

namespace {

struct IterateOptions {
  BenchOptions common;
  std::vector<std::string> methods{"cg"};
  std::vector<std::string> preconditioners{"auto"};
  std::vector<std::string> peers{"all"};
  bool triad = true;
  Index columns = 1;
  double tolerance = 1e-8;
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
  plan.threads = options.common.threads_of_a_rank;
  return plan;
}

/// Bytes a second that all ranks move at the same time. Collective.
double triad_of_all(Team& team, int threads) {
  wait_for_all(team);
  return all_sum(team,
                 together(team, [&] { return bench::measure_triad(threads).bytes_per_second; }));
}

void run_iterate(const IterateOptions& options, const bench::Environment& environment, Team& team) {
  const BenchOptions& common = options.common;
  Results results(common, environment, bench::iteration_columns(), team);
  bench::IterationPlan plan = together(team, [&] { return plan_of(options); });
  const auto names = together(team, [&] { return matrix_names(common.matrices); });
  if (common.device == "cuda") plan.device = own_gpu(common.share_gpus, team);
  const auto candidates = bench::iteration_candidates(plan, team);
  const double triad = options.triad ? triad_of_all(team, plan.threads) : 0;
  results.begin(bench::peers_left_out(bench::iterative_peers(), options.peers) +
                (triad > 0 ? fmt::format("triad of all ranks: {:.1f} GB/s\n", triad / 1e9) : ""));
  for (const std::string& name : names) {
    bench::IterativeSystem system =
        bench::load_iterative_system(name, options.columns, options.tolerance, team);
    const auto rows = bench::sample_iterations(team, system, candidates, common.rounds, triad);
    results.add(fmt::format("\n{}: n = {}, {} non-zeros, {}\n", name, system.bands.rows,
                            system.nonzeros, system.symmetric ? "symmetric" : "unsymmetric"),
                rows);
  }
}

}  // namespace

void add_iterate_command(CLI::App& app, const bench::Environment& environment, Team& team) {
  CLI::App* const command = app.add_subcommand(
      "iterate",
      "samples Krylov methods with their preconditioners on sparse systems, compared with those "
      "of other houses; under mpirun all of them on all ranks");
  const auto options = std::make_shared<IterateOptions>();
  options->common.threads_of_a_rank = choose_threads(0, team.ranks_on_host());
  command
      ->add_option("--matrix", options->common.matrices,
                   "Matrix Market files or generators, with commas between; repeatable")
      ->required();
  add_list(*command, "--methods", options->methods,
           "cg, minres, gmres, bicgstab, idr, block_cg; none");
  add_list(*command, "--preconditioners", options->preconditioners,
           fmt::format("for each method: {}", fmt::join(preconditioner_words, ", ")));
  add_list(*command, "--peers", options->peers, "hypre, petsc; all of those that are here; none");
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
  add_round_options(*command, options->common, "threads of each rank; peers take one",
                    "rounds, after one that does not count");
  command->add_flag("--share-gpus", options->common.share_gpus,
                    "several ranks: let them compute on one GPU");
  command->add_flag("!--no-triad", options->triad, "leave out the rate of memory, and the floor");
  command->footer([] {
    return bench::help_of_peers(bench::iterative_peers()) +
           help_of_files(bench::iteration_columns());
  });
  command->callback([options, environment, &team] { run_iterate(*options, environment, team); });
}

}  // namespace spsolve
