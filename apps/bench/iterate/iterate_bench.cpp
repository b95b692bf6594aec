#include "apps/bench/iterate/iterate_bench.hpp"

#include <algorithm>
#include <cmath>

#include <omp.h>

#include "apps/bench/sparse/sparse_bench.hpp"
#include "core/blas/blas.hpp"
#include "core/timer.hpp"
#include "distribute/reading/scatter.hpp"
#include "matrix/multivector.hpp"
#include "solve/trust/refine.hpp"

namespace spsolve::bench {

namespace {

/// The result of one run of a candidate.
struct IterationRun {
  double set_up = 0, solve = 0;
  IterationFigures figures;
  double residual = 0, backward_error = 0, largest_x = 0;
};

/// The judge that measures solutions.
class Judge {
 public:
  Judge(Team& team, const IterativeSystem& system)
      : matrix_(team, system.bands, Csr<double>(system.rows)),
        b_(matrix_.vectors(system.b.columns)) {
    set_own_rows(*b_, system.b);
  }

  void measure_run(const Dense<double>& solution, IterationRun& run) {
    const std::unique_ptr<Vectors> x = b_->similar(b_->columns()), r = b_->similar(b_->columns());
    set_own_rows(*x, solution);
    run.backward_error = measure(matrix_, *b_, *x, *r).backward_error;
    const std::vector<double> of_r = norms(*r), of_b = norms(*b_), of_x = maxima(*x);
    for (std::size_t c = 0; c < of_r.size(); ++c) {
      run.residual = std::max(run.residual, of_r[c] / of_b[c]);
      run.largest_x = std::max(run.largest_x, of_x[c]);
    }
  }

 private:
  SystemMatrix matrix_;
  std::unique_ptr<Vectors> b_;
};

/// Seconds of the slowest rank: none is done before all are.
template <typename Work>
double timed(Team& team, const Work& work) {
  wait_for_all(team);
  const Timer timer;
  work();
  return all_maximum(team, timer.seconds());
}

IterationRun run_once(Team& team, const IterativeSystem& system,
                      const IterationCandidate& candidate, Judge& judge) {
  omp_set_num_threads(candidate.threads);
  blas::set_threads(candidate.threads);
  const std::unique_ptr<IterativeContender> contender =
      together(team, [&] { return candidate.make(system); });
  IterationRun run;
  run.set_up = timed(team, [&] { contender->set_up(); });
  run.solve = timed(team, [&] { contender->solve(); });
  run.figures = contender->figures();
  judge.measure_run(contender->solution(), run);
  return run;
}

void sum_up(IterationRow& row, const std::vector<IterationRun>& runs) {
  std::vector<double> set_up, solve, total;
  row.figures = runs.front().figures;
  row.figures.converged = true;
  for (const IterationRun& run : runs) {
    set_up.push_back(run.set_up);
    solve.push_back(run.solve);
    total.push_back(run.set_up + run.solve);
    row.figures.steps = std::max(row.figures.steps, run.figures.steps);
    // A backward error that stands for the tolerance may be less than rounding lets one see.
    row.figures.converged =
        row.figures.converged && (run.figures.converged || run.residual <= row.tolerance);
    row.residual = std::max(row.residual, run.residual);
    row.backward_error = std::max(row.backward_error, run.backward_error);
  }
  row.set_up = statistics_of(set_up);
  row.solve = statistics_of(solve);
  row.total = statistics_of(total);
}

/// One system more for a candidate, or why not.
std::string try_once(Team& team, IterativeSystem& system, const IterationCandidate& candidate,
                     Judge& judge, bool counts, std::vector<IterationRun>& runs) {
  try {
    IterationRun run = run_once(team, system, candidate, judge);
    // A solution that is none says nothing of how large one is.
    constexpr double good_enough = 1e-3;
    if (!system.largest_x && run.residual <= good_enough) system.largest_x = run.largest_x;
    if (counts) runs.push_back(std::move(run));
  } catch (const std::exception& why) {
    return why.what();
  }
  return "";
}

}  // namespace

std::optional<double> IterationRow::of_floor() const {
  if (!floor_bytes || triad <= 0 || solve.median <= 0) return std::nullopt;
  return *floor_bytes / triad / step();
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
    candidates.push_back(
        {std::string(peer->name),
         true,
         "host",
         1,
         {},
         [peer, &team](const IterativeSystem& system) { return peer->make(system, team); }});
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

std::vector<IterationRow> sample_iterations(Team& team, IterativeSystem& system,
                                            const std::vector<IterationCandidate>& candidates,
                                            int samples, double triad,
                                            const std::function<void(const std::string&)>& tell) {
  Judge judge(team, system);
  std::vector<std::vector<IterationRun>> runs(candidates.size());
  std::vector<std::string> refused(candidates.size());
  for (int round = 0; round <= samples; ++round) {
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      if (!refused[k].empty()) continue;
      refused[k] = try_once(team, system, candidates[k], judge, round > 0, runs[k]);
      if (team.rank() == 0) {
        tell(fmt::format("{} {}/{} {}{}", system.name, round, samples, candidates[k].name,
                         refused[k].empty() ? "" : ": " + refused[k]));
      }
    }
  }
  std::vector<IterationRow> rows;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    const IterationCandidate& candidate = candidates[k];
    IterationRow row;
    row.matrix = system.name;
    row.order = system.bands.rows;
    row.nonzeros = system.nonzeros;
    row.contender = candidate.name;
    row.peer = candidate.peer;
    row.device = candidate.device;
    row.columns = system.b.columns;
    row.threads = candidate.threads;
    row.ranks = team.size();
    row.tolerance = system.tolerance;
    row.refused = refused[k];
    if (row.refused.empty()) sum_up(row, runs[k]);
    if (candidate.method) {
      row.floor_bytes = floor_bytes(*candidate.method, row.order, row.nonzeros, row.columns);
      row.triad = candidate.device == "host" ? triad : 0;
    }
    rows.push_back(std::move(row));
  }
  compare(rows);
  return rows;
}

void compare(std::span<IterationRow> rows) {
  struct Figure {
    Statistics IterationRow::*seconds;
    std::optional<double> IterationRow::*speedup;
  };
  constexpr Figure figures[] = {{&IterationRow::set_up, &IterationRow::speedup_set_up},
                                {&IterationRow::solve, &IterationRow::speedup_solve},
                                {&IterationRow::total, &IterationRow::speedup_total}};
  for (const Figure& figure : figures) {
    for (IterationRow& row : rows) {
      if (row.peer || !row.refused.empty() || !row.figures.converged) continue;
      std::optional<double> shortest;
      for (const IterationRow& peer : rows) {
        const bool counts = peer.peer && peer.refused.empty() && peer.figures.converged &&
                            peer.matrix == row.matrix;
        if (!counts) continue;
        const double seconds = (peer.*figure.seconds).median;
        shortest = std::min(shortest.value_or(seconds), seconds);
      }
      if (shortest) row.*figure.speedup = *shortest / (row.*figure.seconds).median;
    }
  }
}

}  // namespace spsolve::bench
