#include "apps/bench/iterate/iterate_bench.hpp"

#include <algorithm>
#include <cmath>

#include <omp.h>

#include "apps/bench/sparse/sparse_bench.hpp"
#include "core/blas/blas.hpp"
#include "core/error.hpp"
#include "distribute/reading/scatter.hpp"
#include "matrix/multivector.hpp"
#include "solve/trust/refine.hpp"

namespace spsolve::bench {

namespace {

constexpr Column columns[] = {
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
     "left out"},
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

/// The judge that measures solutions.
class Judge {
 public:
  Judge(Team& team, const IterativeSystem& system)
      : matrix_(team, system.bands, Csr<double>(system.rows)),
        b_(matrix_.vectors(system.b.columns)) {
    set_own_rows(*b_, system.b);
  }

  /// Keeps the worst errors, and hands back the largest residual and max |x_ic|.
  std::pair<double, double> measure_run(const Dense<double>& solution, Row& row) {
    const std::unique_ptr<Vectors> x = b_->similar(b_->columns()), r = b_->similar(b_->columns());
    set_own_rows(*x, solution);
    row.keep_most("backward_error", measure(matrix_, *b_, *x, *r).backward_error);
    const std::vector<double> of_r = norms(*r), of_b = norms(*b_), of_x = maxima(*x);
    double residual = 0;
    for (std::size_t c = 0; c < of_r.size(); ++c) {
      residual = std::max(residual, of_r[c] / of_b[c]);
    }
    row.keep_most("residual", residual);
    return {residual, *std::ranges::max_element(of_x)};
  }

 private:
  SystemMatrix matrix_;
  std::unique_ptr<Vectors> b_;
};

/// One turn of a candidate on all ranks.
void run_once(Turn& turn, IterativeSystem& system, const IterationCandidate& candidate,
              Judge& judge) {
  omp_set_num_threads(candidate.threads);
  blas::set_threads(candidate.threads);
  Row& row = turn.row;
  const std::unique_ptr<IterativeContender> contender =
      together(turn.team, [&] { return candidate.make(system); });
  turn.time("setup_s", [&] { contender->set_up(); });
  turn.time("solve_s", [&] { contender->solve(); });
  turn.add("total_s", row.samples["setup_s"].back() + row.samples["solve_s"].back());
  const IterationFigures figures = contender->figures();
  const auto [residual, largest_x] = judge.measure_run(contender->solution(), row);
  row.keep_most("steps", figures.steps);
  // A backward error that stands for the tolerance may be less than rounding lets one see.
  const bool converged = figures.converged || residual <= system.tolerance;
  row["converged"] = converged && row["converged"] != false;
  row["levels"] = cell_of(figures.levels);
  row["operator_complexity"] = cell_of(figures.operator_complexity);
  // A solution that is none says nothing of how large one is.
  constexpr double good_enough = 1e-3;
  if (!system.largest_x && residual <= good_enough) system.largest_x = largest_x;
}

}  // namespace

Columns iteration_columns() {
  return columns;
}

std::vector<IterationCandidate> iteration_candidates(const IterationPlan& plan, Team& team) {
  std::vector<IterationCandidate> candidates;
  for (const Method method : plan.methods) {
    for (const Preconditioner preconditioner : plan.preconditioners) {
      SolverOptions options = plan.options;
      options.method = method;
      options.preconditioner = preconditioner;
      candidates.push_back({fmt::format("{}+{}", name(method), name(preconditioner)), false,
                            plan.device.gpu ? "cuda" : "host", plan.threads, method,
                            [options, device = plan.device, &team](const IterativeSystem& system) {
                              return make_own_iteration(system, options, team, device);
                            }});
    }
  }
  for (const IterativePeer* peer : plan.peers) {
    candidates.push_back({std::string(peer->name),
                          true,
                          "host",
                          1,
                          {},
                          [peer, &team](const IterativeSystem& system) {
                            if (const std::string why = peer->missing(); !why.empty()) {
                              fail(ExitCode::resources, "{}", why);
                            }
                            return peer->make(system, team);
                          }});
  }
  return candidates;
}

IterativeSystem load_iterative_system(const std::string& name, Index columns, double tolerance,
                                      Team& team) {
  IterativeSystem system;
  system.name = name;
  system.tolerance = tolerance;
  SparseSystem whole =
      together(team, [&] { return team.rank() == 0 ? load_sparse_system(name) : SparseSystem(); });
  const Index order = broadcast_value(team, whole.order, 0);
  system.nonzeros = broadcast_value(team, whole.matrix.nonzeros(), 0);
  system.symmetric = broadcast_value(team, whole.symmetric, 0);
  system.coordinates = find_coordinates(team, "", name, order);
  system.bands =
      bands_of_nodes(order, team.size(), std::max<Index>(1, system.coordinates.dimensions));
  system.rows = scatter_rows(team, system.bands, std::move(whole.matrix));
  const Range own = system.bands.band(team.rank());
  const Dense<double> b = random_multivector(order, columns, 1);
  system.b = Dense<double>(own.size(), columns);
  for (Index i = 0; i < system.b.rows; ++i) {
    for (Index c = 0; c < columns; ++c) system.b(i, c) = b(own.first + i, c);
  }
  return system;
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

std::vector<Row> sample_iterations(Team& team, IterativeSystem& system,
                                   const std::vector<IterationCandidate>& candidates, int samples,
                                   double triad) {
  Judge judge(team, system);
  std::vector<Contender> contenders;
  for (const IterationCandidate& candidate : candidates) {
    Row row;
    row.name = candidate.name;
    row.peer = candidate.peer;
    row.cells = {{"matrix", system.name},         {"n", system.bands.rows},
                 {"nonzeros", system.nonzeros},   {"contender", candidate.name},
                 {"device", candidate.device},    {"columns", system.b.columns},
                 {"threads", candidate.threads},  {"ranks", team.size()},
                 {"tolerance", system.tolerance}, {"samples", 0}};
    if (candidate.method) {
      row["floor_bytes"] = cell_of(
          floor_bytes(*candidate.method, system.bands.rows, system.nonzeros, system.b.columns));
      if (candidate.device == "host" && triad > 0) row["triad_gb_s"] = triad / 1e9;
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
