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
#include "apps/line/command_line.hpp"
#include "choice/factorization_estimate.hpp"
#include "config/schema.hpp"
#include "core/error.hpp"
#include "process/system.hpp"

namespace spsolve {

namespace {

struct EliminateOptions {
  BenchOptions files;
  bench::EliminationPlan plan;
  std::vector<std::string> methods;
  std::vector<std::string> peers{"all"};
  std::vector<std::string> precisions{"double"};
  std::string pivoting = "auto";
  std::string ordering = "auto";
  std::string device = "host";
  std::string transport = "auto";
  bool share_gpus = false;
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
  const Index largest = *std::ranges::max_element(plan.orders);
  if (options.device == "host" && largest > 46000) {
    fail(ExitCode::input, "--n {}: on the host orders up to 46000 are sampled", largest);
  }
  if (options.device == "host" && ranks > 1) {
    fail(ExitCode::input,
         "spbench eliminate --device host measures one process, and {} were started; leave mpirun "
         "out, or use --device cuda with a GPU for each",
         ranks);
  }
  return plan;
}

std::unique_ptr<bench::EliminationContest> contest_for(const EliminateOptions& options,
                                                       Team& team) {
  if (options.device == "host") return std::make_unique<bench::HostContest>();
  const Gpus gpus = find_gpus();
  const int mine = bind_gpu(team, gpus.visible, gpus.why_none, options.share_gpus);
  together(team, [&] { gpus.use(mine); });
  return gpu_contest(team, choice_of<Transport>(options.transport));
}

void run_eliminate_bench(const EliminateOptions& options, const bench::Environment& environment,
                         Team& team) {
  const bool speaks = team.rank() == 0;
  const bench::EliminationPlan plan = together(team, [&] { return plan_of(options, team.size()); });
  const std::unique_ptr<bench::EliminationContest> contest = contest_for(options, team);
  if (speaks) print_out(to_text(environment));
  const auto rows = bench::sample_eliminations(*contest, plan);
  together(team, [&] {
    if (!speaks) return;
    const bench::Table table =
        bench::tabulate(bench::elimination_columns(), std::span<const bench::EliminationRow>(rows));
    print_out(to_text(table));
    write_results(options.files, environment, table);
  });
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
  SparseOptions sparse{options.files, options.peers, {}};
  const std::vector<std::string> none{"none"};
  if (options.methods == none) {
    sparse.plan.methods.clear();
  } else if (!options.methods.empty()) {
    sparse.plan.methods = choices_of<Method>(options.methods);
  }
  sparse.plan.options.pivoting = choice_of<Pivoting>(options.pivoting);
  set_ordering(options.ordering, sparse.plan.options);
  sparse.plan.threads = options.plan.threads;
  sparse.plan.samples = options.plan.samples;
  sparse.plan.systems = options.systems;
  sparse.plan.alone = !options.only_on_all;
  if (options.peers == none) sparse.peers.clear();
  return sparse;
}

void run_eliminate(const EliminateOptions& options, const bench::Environment& environment,
                   Team& team) {
  together(team, [&] {
    if (team.rank() == 0) require_folders(options.files);
  });
  if (!options.files.matrices.empty()) {
    auto sparse = together(team, [&] { return sparse_options(options); });
    if (options.device == "cuda") sparse.plan.device = own_gpu(options.share_gpus, team);
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

}  // namespace

void add_eliminate_command(CLI::App& app, const bench::Environment& environment, Team& team) {
  CLI::App* const command = app.add_subcommand(
      "eliminate",
      "samples eliminations: of random systems (--n), compared with LAPACK's dgesv or, on a GPU, "
      "cuSOLVER, under mpirun over GPUs, one a rank; of sparse systems (--matrix), compared with "
      "direct solvers of other houses");
  const auto options = std::make_shared<EliminateOptions>();
  options->plan.threads = choose_threads(0, 1);
  CLI::Option* const orders =
      command->add_option("--n", options->plan.orders, "orders, such as 1000,2000,4000")
          ->delimiter(',')
          ->check(CLI::Range(1, 1000000));
  CLI::Option* const matrices =
      command
          ->add_option("--matrix", options->files.matrices,
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
      ->add_option(
          "--peers", options->peers,
          "of --matrix: cholmod, umfpack, mumps, pardiso, cudss, cudss_lu; all of those that are "
          "here; none")
      ->delimiter(',')
      ->needs(matrices)
      ->capture_default_str();
  command->add_option("--block", options->plan.blocks, "columns of lu's panels; 0: its own choice")
      ->delimiter(',')
      ->check(CLI::Range(0, 4096))
      ->needs(orders)
      ->capture_default_str();
  command->add_option("--precision", options->precisions, "float, double, mixed")
      ->delimiter(',')
      ->needs(orders)
      ->capture_default_str();
  command
      ->add_option("--shift", options->plan.shift,
                   "adds this times sqrt(n / 3) to the diagonal of the uniformly random matrices: "
                   "their 2-norm condition is about 5 for 2, 220 for 1.05, 2 n for 0")
      ->check(CLI::Range(0.0, 1000.0))
      ->needs(orders)
      ->capture_default_str();
  command
      ->add_flag("--condition", options->plan.condition,
                 "estimate the condition number of the first system")
      ->needs(orders);
  command
      ->add_option("--pivoting", options->pivoting,
                   "auto, none, partial, tournament (of lu) or complete (of the others)")
      ->capture_default_str();
  command
      ->add_option("--ordering", options->ordering,
                   fmt::format("of sparse methods: {}, or the file of an order",
                               fmt::join(found_ordering_words, ", ")))
      ->needs(matrices)
      ->capture_default_str();
  command->add_option("--device", options->device, "where own methods eliminate: host or cuda")
      ->check(CLI::IsMember({"host", "cuda"}))
      ->capture_default_str();
  command
      ->add_option("--transport", options->transport,
                   "several ranks: how rows travel between GPUs: nccl, mpi (from GPU memory), "
                   "pinned (host memory), or auto, the first of those that works")
      ->check(CLI::IsMember({"auto", "nccl", "mpi", "pinned"}))
      ->needs(orders)
      ->capture_default_str();
  command
      ->add_flag("--share-gpus", options->share_gpus, "several ranks: let them compute on one GPU")
      ->needs(orders);
  command->add_flag("--no-peers", options->no_peers, "leave the libraries out")->needs(orders);
  command->add_option("--threads", options->plan.threads, "threads")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command->add_option("--samples", options->plan.samples, "rounds")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command
      ->add_option(
          "--systems", options->systems,
          "of sparse systems also a sequence: so many of the same pattern and of new values, "
          "one after another")
      ->check(CLI::Range(0, 100000))
      ->needs(matrices);
  command
      ->add_flag("--only-on-all-ranks", options->only_on_all,
                 "under mpirun, sparse systems: leave out what rank 0 does alone, which may be too "
                 "large for it")
      ->needs(matrices);
  command->add_option("--csv", options->files.csv, "file for the rows as CSV");
  command->add_option("--json", options->files.json, "file for environment and rows as JSON");
  command->footer([] {
    return bench::help_of_peers(bench::sparse_peers()) +
           "Under mpirun, what does not share its work over ranks runs on rank 0 with all "
           "--threads, while the others sleep; leave it the processors: --bind-to none.\n"
           "Columns of CSV and JSON (in CSV followed by the environment), with --n:\n" +
           bench::help_of(bench::elimination_columns()) + "With --matrix:\n" +
           bench::help_of(bench::sparse_columns()) + "The JSON's summary, with --matrix:\n" +
           bench::help_of(bench::sparse_summary_columns());
  });
  command->callback([options, environment, &team] { run_eliminate(*options, environment, team); });
}

}  // namespace spsolve
