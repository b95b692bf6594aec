// spbench eliminate.

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/gpus.hpp"
#include "apps/bench/eliminate_bench.hpp"
#include "apps/bench/sparse/sparse_bench.hpp"
#include "apps/bench/spbench.hpp"
#include "apps/bench/spbench_devices.hpp"
#include "apps/line/command_line.hpp"
#include "config/schema.hpp"
#include "core/error.hpp"
#include "io/order_file.hpp"
#include "process/system.hpp"

namespace spsolve {

namespace {

struct EliminateOptions {
  BenchOptions common;
  bench::EliminationPlan dense;
  bench::SparsePlan sparse;
  std::vector<Method> methods;  ///< empty: none, or not asked for
  bool names_methods = false;
  std::vector<std::string> peers{"all"};
  std::string ordering = "auto";
  std::vector<std::string> systems{"0"};
  Transport transport = Transport::automatic;
};

/// Refuses dense systems that this device, or so many ranks, cannot measure.
void check_dense(const EliminateOptions& options, int ranks) {
  for (const Method method : options.dense.methods) {
    if (!is_sparse(method)) continue;
    fail(ExitCode::input, "--n has dense systems, and {} eliminates sparse ones; use --matrix",
         name(method));
  }
  if (options.common.device != "host") return;
  const Index largest = *std::ranges::max_element(options.dense.orders);
  if (largest > 46000) {
    fail(ExitCode::input, "--n {}: on the host orders up to 46000 are sampled", largest);
  }
  if (ranks > 1) {
    fail(ExitCode::input,
         "spbench eliminate --device host measures one process, and {} were started; leave mpirun "
         "out, or use --device cuda with a GPU for each",
         ranks);
  }
}

void run_dense(EliminateOptions& options, Team& team) {
  bench::EliminationPlan& plan = options.dense;
  if (options.names_methods) plan.methods = options.methods;
  plan.pivoting = options.sparse.options.pivoting;
  plan.threads = options.common.threads.front();
  plan.samples = options.common.sampling.samples;
  Results results(options.common, bench::elimination_columns(), team);
  together(team, [&] { check_dense(options, team.size()); });
  std::unique_ptr<bench::EliminationContest> contest;
  if (options.common.device == "host") {
    contest = std::make_unique<bench::HostContest>();
  } else {
    own_gpu(options.common.share_gpus, team);
    contest = gpu_contest(team, options.transport);
  }
  results.begin();
  results.add("", bench::sample_eliminations(team, *contest, plan));
}

/// Takes over what solve.ordering may be, a file too, which is to have an order for each matrix.
void set_ordering(const EliminateOptions& options, SolverOptions& solver) {
  const Option& option = *find_option("solve.ordering");
  if (const std::string problem = option_problem(option, options.ordering); !problem.empty()) {
    fail(ExitCode::input, "--ordering: {}", problem);
  }
  Config config;
  option.set(config, options.ordering);
  solver.ordering = config.solve.ordering;
  solver.ordering_file = config.solve.ordering_file;
  for (const std::string& name : options.common.matrices) {
    const Index order = bench::describe_sparse_system(name).order();
    if (solver.ordering == Ordering::file) read_order(solver.ordering_file, order);
  }
}

std::string_view kind_of(const bench::SystemKind& system) {
  if (system.is_complex()) {
    return system.maybe_definite ? "Hermitian with a positive diagonal"
           : system.hermitian    ? "Hermitian"
           : system.symmetric    ? "complex symmetric"
                                 : "complex";
  }
  return system.maybe_definite ? "symmetric with a positive diagonal"
         : system.symmetric    ? "symmetric indefinite"
                               : "unsymmetric";
}

/// Samples, prints a table a matrix and the summary, and writes the files. Collective.
void run_sparse(EliminateOptions& options, Team& team) {
  bench::SparsePlan& plan = options.sparse;
  Results results(options.common, bench::sparse_columns(), team);
  together(team, [&] {
    set_ordering(options, plan.options);
    plan.peers = bench::peers_of(bench::sparse_peers(), options.peers);
    plan.systems = bench::systems_in_turn(options.systems);
    if (!plan.systems.names.empty() && options.common.matrices.size() > 1) {
      fail(ExitCode::input, "--systems names systems of one pattern, and --matrix has {}",
           options.common.matrices.size());
    }
    for (const std::string& name : plan.systems.names) bench::describe_sparse_system(name);
  });
  if (options.names_methods) plan.methods = options.methods;
  plan.threads = options.common.threads.front();
  if (options.common.device == "cuda") plan.device = own_gpu(options.common.share_gpus, team);
  const auto candidates = bench::sparse_candidates(plan, team);
  if (candidates.empty()) {
    fail_everywhere(ExitCode::input, "{} leaves nothing to be measured",
                    plan.alone ? "--methods none --peers none"
                               : "--only-on-all-ranks, of these methods and peers,");
  }
  results.begin(bench::peers_left_out(bench::sparse_peers(), options.peers));
  results.facts = [](std::span<const bench::Row> rows) -> nlohmann::ordered_json {
    return {{"summary", to_json(bench::sparse_summary_columns(), bench::summaries_of(rows))}};
  };
  const bool speaks = team.rank() == 0;
  for (const std::string& name : options.common.matrices) {
    bench::SparseSystem system = together(
        team, [&] { return speaks ? bench::load_sparse_system(name) : bench::SparseSystem(); });
    const auto rows = bench::sample_sparse(team, system, candidates,
                                           options.common.sampling.samples, plan.systems);
    results.add(fmt::format("\n{}: n = {}, {} non-zeros, {}\n", name, system.order,
                            system.nonzeros(), kind_of(system)),
                rows);
  }
  const auto summaries = bench::summaries_of(results.rows());
  together(team, [&] {
    if (!speaks || summaries.empty()) return;
    print_out("\nThe shortest time of a peer / own, geometric means over the matrices:\n" +
              to_text(bench::sparse_summary_columns(), summaries));
  });
}

/// The options of dense systems, which want --n.
void add_dense_options(CLI::App& command, EliminateOptions& options, CLI::Option* orders) {
  bench::EliminationPlan& plan = options.dense;
  add_list(command, "--block", plan.blocks, "columns of lu's panels; 0: its own choice")
      ->check(CLI::Range(0, 4096))
      ->needs(orders);
  add_choices(command, "--precision", plan.precisions, "float, double, mixed")->needs(orders);
  add_number(command, "--shift", plan.shift, 0, 1000,
             "adds this times sqrt(n / 3) to the diagonal of the uniformly random matrices: their "
             "2-norm condition is about 5 for 2, 220 for 1.05, 2 n for 0")
      ->needs(orders);
  command
      .add_flag("--condition", plan.condition, "estimate the condition number of the first system")
      ->needs(orders);
  add_choice(command, "--transport", options.transport,
             "several ranks: how rows travel between GPUs: nccl, mpi (from GPU memory), pinned "
             "(host memory), or auto, the first of those that works")
      ->check(CLI::IsMember({"auto", "nccl", "mpi", "pinned"}))
      ->needs(orders);
  command.add_flag("!--no-peers", plan.peers, "leave the libraries out")->needs(orders);
}

/// The options of sparse systems, which want --matrix.
void add_sparse_options(CLI::App& command, EliminateOptions& options, CLI::Option* matrices) {
  add_list(command, "--peers", options.peers,
           "of --matrix: cholmod, umfpack, mumps, pardiso, pardiso_pattern, cudss, cudss_lu; all "
           "of those that are "
           "here; none")
      ->needs(matrices);
  command
      .add_option("--ordering", options.ordering,
                  fmt::format("of sparse methods: {}, or the file of an order",
                              fmt::join(found_ordering_words, ", ")))
      ->needs(matrices)
      ->capture_default_str();
  add_list(command, "--systems", options.systems,
           "of sparse systems also a sequence of the same pattern, one after another: how many, of "
           "new values; or files and generators, in which FIRST..LAST stands for all numbers "
           "between, as in ipm_tree:1000:1..100")
      ->needs(matrices);
  command
      .add_flag("!--only-on-all-ranks", options.sparse.alone,
                "under mpirun, sparse systems: leave out what rank 0 does alone, which may be too "
                "large for it")
      ->needs(matrices);
}

}  // namespace

void add_eliminate_command(CLI::App& app, const bench::Cell& environment, Team& team) {
  CLI::App* const command = app.add_subcommand(
      "eliminate",
      "samples eliminations: of random systems (--n), compared with LAPACK's dgesv or, on a GPU, "
      "cuSOLVER, under mpirun over GPUs, one a rank; of sparse systems (--matrix), compared with "
      "direct solvers of other houses");
  const auto options = std::make_shared<EliminateOptions>();
  options->common.environment = environment;
  options->common.threads = {choose_threads(0, 1)};
  CLI::Option* const orders =
      add_list(*command, "--n", options->dense.orders, "orders, such as 1000,2000,4000")
          ->check(CLI::Range(1, 1000000));
  CLI::Option* const matrices =
      add_matrices(*command, options->common,
                   "; laplacian:NAME is the Laplacian + identity of its graph")
          ->excludes(orders);
  CLI::Option* const methods = add_choices(
      *command, "--methods", options->methods,
      "of --n: lu, gauss, gauss_jordan; of --matrix also sparse_cholesky, sparse_ldlt, sparse_lu, "
      "auto, the default there, or none");
  add_choice(*command, "--pivoting", options->sparse.options.pivoting,
             "auto, none, partial, tournament (of lu) or complete (of the others)");
  add_device_options(*command, options->common, {"host", "cuda"},
                     "where own methods run: host or cuda");
  add_common_options(*command, options->common, "threads", "rounds");
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
  command->callback([options, methods, &team] {
    options->names_methods = methods->count() > 0;
    if (!options->common.matrices.empty()) {
      run_sparse(*options, team);
    } else if (!options->dense.orders.empty()) {
      run_dense(*options, team);
    } else {
      fail_everywhere(ExitCode::input,
                      "what shall be eliminated? --n has the orders of random systems, --matrix "
                      "sparse matrices");
    }
  });
}

}  // namespace spsolve
