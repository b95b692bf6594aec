// spbench iterate.

#include "apps/bench/iterate/iterate_bench.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

#include "apps/bench/device.hpp"
#include "apps/bench/sparse/candidate.hpp"
#include "apps/bench/sparse/own_solvers.hpp"
#include "apps/bench/sparse/sparse_bench.hpp"
#include "apps/bench/spbench.hpp"
#include "apps/bench/spbench_devices.hpp"
#include "core/error.hpp"
#include "core/names/row_names.hpp"
#include "distribute/reading/scatter.hpp"
#include "matrix/multivector.hpp"
#include "matrix/real_form.hpp"
#include "process/system.hpp"

namespace spsolve::bench {

namespace {

constexpr Column iteration_table[] = {
    {"matrix", "file or generator"},
    {"n", "order of the system"},
    {"nonzeros", "stored entries of the matrix"},
    {"contender", "method + preconditioner, or peer", "{}", "contender"},
    {"peer", "whether it is another house's"},
    {"device", "host or cuda"},
    {"columns", "right-hand sides; peers solve for one after another", "{}", "K"},
    {"threads", "threads of each rank; peers have one", "{}", "threads"},
    {"ranks", "processes that share the work", "{}", "ranks"},
    {"tolerance", "that residual was asked for"},
    {"samples", "rounds"},
    {"setup_s", "seconds from the matrix to the preconditioner: median", "{:.4f}", "setup s"},
    {"solve_s", "seconds of the steps: median", "{:.4f}", "solve s"},
    {"total_s", "seconds of both: median", "{:.4f}", "total s"},
    {"total_min_s", "the shortest"},
    {"steps", "of the method, by its own account, the most of rounds and columns", "{}", "steps"},
    {"converged", "whether that was to the tolerance, by its own account or by the residual", "{}",
     "converged"},
    {"step_ms", "milliseconds of a step: solve_s / steps", "{:.3f}", "step ms"},
    {"floor_bytes",
     "bytes that a step of cg, minres or bicgstab must move over all ranks, its preconditioner's "
     "left out, of real systems"},
    {"triad_gb_s", "10^9 bytes a second of the triad of all ranks in the same run"},
    {"of_floor", "time of floor_bytes at the triad's rate over that of a step", "{:.2f}",
     "of floor"},
    {"levels", "of multigrid", "{}", "levels"},
    {"operator_complexity", "entries of multigrid's matrices over those of A", "{:.2f}",
     "complexity"},
    {"residual", "||b - A x|| / ||b|| in 2-norms, the worst of rounds and columns", "{:.1e}",
     "residual"},
    {"backward_error", "normwise, likewise", "{:.1e}", "backward error"},
    {"speedup_setup", "the shortest setup_s of a peer that converged / own"},
    {"speedup_solve", "the shortest solve_s of a peer that converged / own", "{:.2f}",
     "solve over peer"},
    {"speedup_total", "the shortest total_s of a peer that converged / own", "{:.2f}",
     "total over peer"},
    {"refused", "why it was not measured"},
};

using IterationCandidate = Candidate<IterativeSystem, IterativeContender>;

/// The measurements that are asked for. The systems have their own tolerances.
struct IterationPlan {
  std::vector<Method> methods{Method::cg};
  std::vector<Preconditioner> preconditioners{Preconditioner::automatic};
  std::vector<const IterativePeer*> peers;
  SolverOptions options;
  OwnDevice device;
  int threads = 1;
};

/// One turn of a candidate on all ranks.
void run_once(Turn& turn, IterativeSystem& system, const IterationCandidate& candidate,
              Judge& judge) {
  Row& row = turn.row;
  const std::unique_ptr<IterativeContender> contender =
      together(turn.team, [&] { return candidate.begin(system); });
  turn.time("setup_s", [&] { contender->set_up(); });
  turn.time("solve_s", [&] { contender->solve(); });
  turn.add("total_s", turn.latest("setup_s") + turn.latest("solve_s"));
  const IterationFigures figures = contender->figures();
  const Judge::Sizes of = judge.judge(system.b, contender->solution(), row);
  row.keep_most("steps", figures.steps);
  // A backward error that stands for the tolerance may be less than rounding lets one see.
  const bool converged = figures.converged || of.residual <= system.tolerance;
  row["converged"] = converged && row["converged"] != false;
  row["levels"] = cell_of(figures.levels);
  row["operator_complexity"] = cell_of(figures.operator_complexity);
  // A solution that is none says nothing of how large one is.
  constexpr double good_enough = 1e-3;
  if (!system.largest_x && of.residual <= good_enough) system.largest_x = of.x;
}

/// Every method with every preconditioner; then the peers.
std::vector<IterationCandidate> iteration_candidates(const IterationPlan& plan, Team& team) {
  std::vector<IterationCandidate> candidates;
  for (const Method method : plan.methods) {
    for (const Preconditioner preconditioner : plan.preconditioners) {
      SolverOptions options = plan.options;
      options.method = method;
      options.preconditioner = preconditioner;
      const auto make = [options, device = plan.device, &team](const IterativeSystem& system) {
        return make_own_iteration(system, options, team, device);
      };
      candidates.push_back({fmt::format("{}+{}", name(method), name(preconditioner)), false,
                            plan.threads, true, make, method, plan.device.free_memory});
    }
  }
  for (const IterativePeer* peer : plan.peers) {
    candidates.push_back(candidate_of(*peer, {team, 1, true}));
  }
  return candidates;
}

/// The matrix of that name, a file or a generator, and right-hand sides that are uniform in [-1,
/// 1). Throws Error(input) where it is not square. Collective.
IterativeSystem load_iterative_system(const std::string& name, Index columns, double tolerance,
                                      Team& team) {
  IterativeSystem system;
  system.name = name;
  system.tolerance = tolerance;
  SparseSystem whole =
      together(team, [&] { return team.rank() == 0 ? load_sparse_system(name) : SparseSystem(); });
  // Krylov methods take a real form as it is.
  if (whole.conjugates) conjugate_rows(whole.matrix);
  const auto kind = broadcast_value(team, static_cast<const SystemKind&>(whole), 0);
  const Index order = kind.rows();
  system.parts = kind.parts;
  system.nonzeros = broadcast_value(team, whole.nonzeros(), 0);
  system.symmetric = kind.hermitian;
  system.coordinates = find_coordinates(team, "", name, order);
  system.bands =
      bands_of_nodes(order, team.size(), std::max(system.parts, system.coordinates.dimensions));
  system.rows = scatter_rows(team, system.bands, std::move(whole.matrix));
  const Range own = system.bands.band(team.rank());
  const Dense<double> b = random_multivector(order, columns, 1);
  system.b = Dense<double>(own.size(), columns);
  for (Index i = 0; i < system.b.rows; ++i) {
    for (Index c = 0; c < columns; ++c) system.b(i, c) = b(own.first + i, c);
  }
  return system;
}

/// Times all candidates on `system`: a round that does not count, in which the size of x becomes
/// known, then `samples` in each of which every one is made, sets up and solves. `triad`: bytes a
/// second that all ranks together moved in the same run; 0: not told. Collective.
std::vector<Row> sample_iterations(Team& team, IterativeSystem& system,
                                   const std::vector<IterationCandidate>& candidates, int samples,
                                   double triad) {
  const RowNames names(system.parts);
  Judge judge(team, system.bands, system.rows, system.parts);
  std::vector<Contender> contenders;
  for (const IterationCandidate& candidate : candidates) {
    Row row = candidate.row(team.size());
    row["matrix"] = system.name;
    row["n"] = system.bands.rows / system.parts;
    row["nonzeros"] = system.nonzeros;
    row["columns"] = system.b.columns;
    row["tolerance"] = system.tolerance;
    row["device"] = candidate.free_gpu_memory ? "cuda" : "host";
    if (candidate.method && system.parts == 1) {
      row["floor_bytes"] = cell_of(
          floor_bytes(*candidate.method, system.bands.rows, system.nonzeros, system.b.columns));
      if (!candidate.free_gpu_memory && triad > 0) row["triad_gb_s"] = triad / 1e9;
    }
    contenders.push_back(
        {std::move(row), true, [&](Turn& turn) { run_once(turn, system, candidate, judge); }});
  }
  Rules rules;
  rules.where = system.name;
  rules.rounds = samples;
  rules.warm_up = true;
  std::vector<Row> rows = compete(team, std::move(contenders), rules);
  for (Row& row : rows) set_steps(row);
  compare_iterations(rows);
  return rows;
}

}  // namespace

Columns iteration_columns() {
  return iteration_table;
}

std::optional<double> floor_bytes(Method method, Index order, Index nonzeros, Index columns) {
  struct Moved {
    Method method;
    int products, multivectors;
  };
  constexpr Moved table[] = {
      {Method::cg, 1, 9},         // x, r, p, q read, x, r written; then r, p read, p written
      {Method::minres, 1, 15},    // v: 4, w: 4, x: 2, r: 3, z: 2
      {Method::bicgstab, 2, 16},  // two updates of x and r: 6 each; p: 4
  };
  const auto found = std::find_if(std::begin(table), std::end(table),
                                  [&](const Moved& row) { return row.method == method; });
  if (found == std::end(table)) return std::nullopt;
  const auto n = static_cast<double>(order), k = static_cast<double>(columns);
  return found->products * (12.0 * static_cast<double>(nonzeros) + 4 * n + 16 * n * k) +
         8.0 * found->multivectors * n * k;
}

void set_steps(Row& row) {
  if (!row.measured()) return;
  const double step = row.number("solve_s") / std::max(row.number("steps"), 1.0);
  row["total_min_s"] = row.statistics("total_s").min;
  row["step_ms"] = 1e3 * step;
  row["of_floor"] =
      number_or_null(row.number("floor_bytes") / (1e9 * row.number("triad_gb_s")) / step);
}

void compare_iterations(std::span<Row> rows) {
  for (const std::string phase : {"setup", "solve", "total"}) {
    compare(rows, phase + "_s", "speedup_" + phase, [](const Row& own, const Row& other) {
      return !own.peer && own.cell("converged") == true && other.peer &&
             other.cell("converged") == true && other.cell("matrix") == own.cell("matrix");
    });
  }
}

}  // namespace spsolve::bench

namespace spsolve {

namespace {

struct IterateOptions {
  BenchOptions common;
  bench::IterationPlan plan;
  std::vector<std::string> peers{"all"};
  bool triad = true;
  Index columns = 1;
  double tolerance = 1e-8;
};

/// Bytes a second that all ranks move at the same time. Collective.
double triad_of_all(Team& team, int threads) {
  wait_for_all(team);
  return all_sum(team,
                 together(team, [&] { return bench::measure_triad(threads).bytes_per_second; }));
}

std::string_view kind_of(const bench::IterativeSystem& system) {
  if (system.parts > 1) return system.symmetric ? "Hermitian" : "complex";
  return system.symmetric ? "symmetric" : "unsymmetric";
}

void run_iterate(IterateOptions& options, Team& team) {
  const BenchOptions& common = options.common;
  bench::IterationPlan& plan = options.plan;
  Results results(common, bench::iteration_columns(), team);
  together(team, [&] {
    plan.threads = common.threads.front();
    plan.peers = bench::peers_of(bench::iterative_peers(), options.peers);
    for (const Method method : plan.methods) {
      if (is_krylov(method)) continue;
      fail(ExitCode::input, "{} does not iterate; spbench eliminate samples it", name(method));
    }
    if (plan.methods.empty() && plan.peers.empty() && options.peers.front() == "none") {
      fail(ExitCode::input, "--methods none --peers none leaves nothing to be measured");
    }
    for (const std::string& name : common.matrices) bench::describe_sparse_system(name);
  });
  if (common.device == "cuda") plan.device = own_gpu(common.share_gpus, team);
  const auto candidates = bench::iteration_candidates(plan, team);
  const double triad = options.triad ? triad_of_all(team, plan.threads) : 0;
  results.begin(bench::peers_left_out(bench::iterative_peers(), options.peers) +
                (triad > 0 ? fmt::format("triad of all ranks: {:.1f} GB/s\n", triad / 1e9) : ""));
  for (const std::string& name : common.matrices) {
    bench::IterativeSystem system =
        bench::load_iterative_system(name, options.columns, options.tolerance, team);
    results.add(fmt::format("\n{}: n = {}, {} non-zeros, {}\n", name,
                            system.bands.rows / system.parts, system.nonzeros, kind_of(system)),
                bench::sample_iterations(team, system, candidates, common.sampling.samples, triad));
  }
}

}  // namespace

void add_iterate_command(CLI::App& app, const bench::Cell& environment, Team& team) {
  CLI::App* const command = app.add_subcommand(
      "iterate",
      "samples Krylov methods with their preconditioners on sparse systems, compared with those "
      "of other houses; under mpirun all of them on all ranks");
  const auto options = std::make_shared<IterateOptions>();
  options->common.environment = environment;
  bench::IterationPlan& plan = options->plan;
  options->common.threads = {choose_threads(0, team.ranks_on_host())};
  add_matrices(*command, options->common)->required();
  add_choices(*command, "--methods", plan.methods,
              "cg, minres, gmres, bicgstab, idr, block_cg, cocr; none");
  add_choices(*command, "--preconditioners", plan.preconditioners,
              fmt::format("for each method: {}", fmt::join(preconditioner_words, ", ")));
  add_list(*command, "--peers", options->peers, "hypre, petsc; all of those that are here; none");
  add_number(*command, "--tolerance", options->tolerance, 1e-15, 0.5,
             "||b - A x|| / ||b|| that is asked of everyone; own methods, which stop at backward "
             "errors, are asked for that which it comes to");
  add_number(*command, "--columns", options->columns, 1, 1024, "right-hand sides, random");
  add_number(*command, "--restart", plan.options.restart, 1, 1000, "steps of a cycle of gmres");
  add_device_options(*command, options->common, {"host", "cuda"},
                     "where own methods run: host or cuda");
  add_common_options(*command, options->common, "threads of each rank; peers take one",
                     "rounds, after one that does not count");
  command->add_flag("!--no-triad", options->triad, "leave out the rate of memory, and the floor");
  command->footer([] {
    return bench::help_of_peers(bench::iterative_peers()) +
           help_of_files(bench::iteration_columns());
  });
  command->callback([options, &team] { run_iterate(*options, team); });
}

}  // namespace spsolve
