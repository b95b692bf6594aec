// spbench eliminate.

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/gpus.hpp"
#include "apps/bench/eliminate_bench.hpp"
#include "apps/bench/peers/peer_words.hpp"
#include "apps/bench/sparse/spbench_sparse.hpp"
#include "apps/bench/spbench.hpp"
#include "apps/bench/spbench_devices.hpp"
#include "config/schema.hpp"
#include "core/error.hpp"
#include "process/system.hpp"

namespace spsolve {

namespace {

struct EliminateOptions {
  BenchOptions common;
  bench::EliminationPlan plan;
  std::vector<std::string> methods;
  std::vector<std::string> peers{"all"};
  std::vector<std::string> precisions{"double"};
  std::string pivoting = "auto";
  std::string ordering = "auto";
  std::string transport = "auto";
  bool no_peers = false;
  int systems = 0;
  bool only_on_all = false;
};

/// The plan that the words of the command line mean, for so many ranks.
bench::EliminationPlan plan_of(const EliminateOptions& options, int ranks) {
  bench::EliminationPlan plan = options.plan;
  if (!options.methods.empty()) plan.methods = choices_of<Method>(options.methods);
  for (const Method method : plan.methods) {
    if (!is_sparse(method)) continue;
    fail(ExitCode::input, "--n has dense systems, and {} eliminates sparse ones; use --matrix",
         name(method));
  }
  plan.precisions = choices_of<Precision>(options.precisions);
  plan.pivoting = choice_of<Pivoting>(options.pivoting);
  plan.peers = !options.no_peers;
  plan.threads = options.common.threads_of_a_rank;
  plan.samples = options.common.rounds;
  const Index largest = *std::ranges::max_element(plan.orders);
  if (options.common.device == "host" && largest > 46000) {
    fail(ExitCode::input, "--n {}: on the host orders up to 46000 are sampled", largest);
  }
  if (options.common.device == "host" && ranks > 1) {
    fail(ExitCode::input,
         "spbench eliminate --device host measures one process, and {} were started; leave mpirun "
         "out, or use --device cuda with a GPU for each",
         ranks);
  }
  return plan;
}

std::unique_ptr<bench::EliminationContest> contest_for(const EliminateOptions& options,
                                                       Team& team) {
  if (options.common.device == "host") return std::make_unique<bench::HostContest>();
  const Gpus gpus = find_gpus();
  const int mine = bind_gpu(team, gpus.visible, gpus.why_none, options.common.share_gpus);
  together(team, [&] { gpus.use(mine); });
  return gpu_contest(team, choice_of<Transport>(options.transport));
}

void run_eliminate_bench(const EliminateOptions& options, const bench::Environment& environment,
                         Team& team) {
  Results results(options.common, environment, bench::elimination_columns(), team);
  const bench::EliminationPlan plan = together(team, [&] { return plan_of(options, team.size()); });
  const std::unique_ptr<bench::EliminationContest> contest = contest_for(options, team);
  results.begin();
  results.add("", bench::sample_eliminations(team, *contest, plan));
}

/// Takes over what solve.ordering may be, a file too.
void set_ordering(const std::string& text, SolverOptions& options) {
  const Option& option = *find_option("solve.ordering");
  if (const std::string problem = option_problem(option, text); !problem.empty()) {
    fail(ExitCode::input, "--ordering: {}", problem);
  }
  Config config;
  option.set(config, text);
  options.ordering = config.solve.ordering;
  options.ordering_file = config.solve.ordering_file;
}

/// The part of the options that is for sparse systems.
SparseOptions sparse_options(const EliminateOptions& options) {
  SparseOptions sparse{options.common, options.peers, {}};
  const std::vector<std::string> none{"none"};
  if (options.methods == none) {
    sparse.plan.methods.clear();
  } else if (!options.methods.empty()) {
    sparse.plan.methods = choices_of<Method>(options.methods);
  }
  sparse.plan.options.pivoting = choice_of<Pivoting>(options.pivoting);
  set_ordering(options.ordering, sparse.plan.options);
  sparse.plan.threads = options.common.threads_of_a_rank;
  sparse.plan.samples = options.common.rounds;
  sparse.plan.systems = options.systems;
  sparse.plan.alone = !options.only_on_all;
  if (options.peers == none) sparse.peers.clear();
  return sparse;
}

void run_eliminate(const EliminateOptions& options, const bench::Environment& environment,
                   Team& team) {
  if (!options.common.matrices.empty()) {
    auto sparse = together(team, [&] { return sparse_options(options); });
    if (options.common.device == "cuda")
      sparse.plan.device = own_gpu(options.common.share_gpus, team);
    run_sparse_bench(sparse, environment, team);
    return;
  }
  if (options.plan.orders.empty()) {
    fail_everywhere(ExitCode::input,
                    "what shall be eliminated? --n has the orders of random systems, --matrix "
                    "sparse matrices");
  }
  run_eliminate_bench(options, environment, team);
}

/// The options of dense systems, which want --n.
void add_dense_options(CLI::App& command, EliminateOptions& options, CLI::Option* orders) {
  add_list(command, "--block", options.plan.blocks, "columns of lu's panels; 0: its own choice")
      ->check(CLI::Range(0, 4096))
      ->needs(orders);
  add_list(command, "--precision", options.precisions, "float, double, mixed")->needs(orders);
  command
      .add_option("--shift", options.plan.shift,
                  "adds this times sqrt(n / 3) to the diagonal of the uniformly random matrices: "
                  "their 2-norm condition is about 5 for 2, 220 for 1.05, 2 n for 0")
      ->check(CLI::Range(0.0, 1000.0))
      ->needs(orders)
      ->capture_default_str();
  command
      .add_flag("--condition", options.plan.condition,
                "estimate the condition number of the first system")
      ->needs(orders);
  command
      .add_option("--transport", options.transport,
                  "several ranks: how rows travel between GPUs: nccl, mpi (from GPU memory), "
                  "pinned (host memory), or auto, the first of those that works")
      ->check(CLI::IsMember({"auto", "nccl", "mpi", "pinned"}))
      ->needs(orders)
      ->capture_default_str();
  command
      .add_flag("--share-gpus", options.common.share_gpus,
                "several ranks: let them compute on one GPU")
      ->needs(orders);
  command.add_flag("--no-peers", options.no_peers, "leave the libraries out")->needs(orders);
}

/// The options of sparse systems, which want --matrix.
void add_sparse_options(CLI::App& command, EliminateOptions& options, CLI::Option* matrices) {
  add_list(command, "--peers", options.peers,
           "of --matrix: cholmod, umfpack, mumps, pardiso, cudss, cudss_lu; all of those that are "
           "here; none")
      ->needs(matrices);
  command
      .add_option("--ordering", options.ordering,
                  fmt::format("of sparse methods: {}, or the file of an order",
                              fmt::join(found_ordering_words, ", ")))
      ->needs(matrices)
      ->capture_default_str();
  command
      .add_option("--systems", options.systems,
                  "of sparse systems also a sequence: so many of the same pattern and of new "
                  "values, one after another")
      ->check(CLI::Range(0, 100000))
      ->needs(matrices);
  command
      .add_flag("--only-on-all-ranks", options.only_on_all,
                "under mpirun, sparse systems: leave out what rank 0 does alone, which may be too "
                "large for it")
      ->needs(matrices);
}

}  // namespace

void add_eliminate_command(CLI::App& app, const bench::Environment& environment, Team& team) {
  CLI::App* const command = app.add_subcommand(
      "eliminate",
      "samples eliminations: of random systems (--n), compared with LAPACK's dgesv or, on a GPU, "
      "cuSOLVER, under mpirun over GPUs, one a rank; of sparse systems (--matrix), compared with "
      "direct solvers of other houses");
  const auto options = std::make_shared<EliminateOptions>();
  options->common.threads_of_a_rank = choose_threads(0, 1);
  CLI::Option* const orders =
      command->add_option("--n", options->plan.orders, "orders, such as 1000,2000,4000")
          ->delimiter(',')
          ->check(CLI::Range(1, 1000000));
  CLI::Option* const matrices =
      command
          ->add_option("--matrix", options->common.matrices,
                       "Matrix Market files or generators, with commas between; repeatable; "
                       "laplacian:NAME is the Laplacian + identity of its graph")
          ->excludes(orders);
  command
      ->add_option(
          "--methods", options->methods,
          "of --n: lu, gauss, gauss_jordan; of --matrix also sparse_cholesky, sparse_ldlt, "
          "sparse_lu, auto, the default there, or none")
      ->delimiter(',');
  command
      ->add_option("--pivoting", options->pivoting,
                   "auto, none, partial, tournament (of lu) or complete (of the others)")
      ->capture_default_str();
  add_round_options(*command, options->common, "threads", "rounds");
  add_dense_options(*command, *options, orders);
  add_sparse_options(*command, *options, matrices);
  command->footer([] {
    return bench::help_of_peers(bench::sparse_peers()) +
           "Under mpirun, what does not share its work over ranks runs on rank 0 with all "
           "--threads, while the others sleep; leave it the processors: --bind-to none.\n" +
           help_of_files(bench::elimination_columns()) + "Columns with --matrix:\n" +
           bench::help_of(bench::sparse_columns()) + "The JSON's summary, with --matrix:\n" +
           bench::help_of(bench::sparse_summary_columns());
  });
  command->callback([options, environment, &team] { run_eliminate(*options, environment, team); });
}

}  // namespace spsolve
