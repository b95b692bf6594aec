#include "spsolve/solver.hpp"

#include <algorithm>
#include <cmath>

#include <omp.h>

#include "api/planned_system.hpp"
#include "api/threads.hpp"
#include "plan/blas_threads.hpp"
#include "system/first_guess.hpp"
#include "system/system_solver.hpp"

#ifdef SPSOLVE_HAVE_CUDA
#include "cuda/vectors/products/foreign_rows.hpp"
#endif

namespace spsolve {

/// The application's way from a matrix to its inverse, kept for many right-hand sides.
struct Solver::State {
  State(const Matrix& a, const Options& options, Ranks of)
      : by(a, options, std::move(of)), first_guess(options.first_guess) {
    by.solving([&] { begin(a, options); });
    by.share(report);
  }

  void begin(const Matrix& a, const Options& options) {
    planned.emplace(a, options, by);
    if (!planned->check.fits) {
      fail_everywhere(ExitCode::resources, "this system does not fit into memory; {}\n{}",
                      planned->check.remedy, to_text(planned->plan, planned->check));
    }
    const SystemChoice& choice = *planned->choice;
    solver.emplace(planned->deal_out(a, by.team()), choice.row(), choice.question(),
                   *planned->memory, choice.check_in_double());
    report.device = planned->on_gpu() ? "cuda" : "host";
    first_notes = planned->noted.notes;
    set_up();
  }

  /// This process' rows: all those of rank 0, where that solves alone.
  Range own() { return solver ? solver->matrix().own() : Range{by.order, by.order}; }

  /// Eliminates; an iteration begins with the first right-hand sides.
  void set_up() {
    solver->prepare();
    is_eliminated = false;
    if (!is_krylov(planned->choice->row().method)) eliminate(nullptr);
    tell();
  }

  /// `b`: the right-hand sides that are solved for next, if they are of A.
  void eliminate(const Vectors* b) {
    is_eliminated = true;
    std::unique_ptr<Vectors> guess;
    const std::string& file = by.config.solve.initial_guess;
    const bool has_array = broadcast_value(by.team(), first_guess.columns, 0) > 0;
    if (b != nullptr && is_krylov(solver->choice().method)) {
      if (has_array) {
        guess = deal_out_first_guess(solver->matrix(), first_guess, b->columns());
      } else if (!file.empty()) {
        guess = read_first_guess(solver->matrix(), file, b->columns());
      }
    }
    Progress silent("eliminating", 1, Progress::Show::off);
    solver->eliminate(silent, nullptr, b, guess.get());
  }

  /// Brings the report up to date: some factors are tried out by the first solution.
  void tell() {
    const EliminationChoice choice = solver->choice();
    const InverseFacts& facts = solver->facts();
    report.method = name(choice.method);
    report.pivoting = name(choice.pivoting);
    report.equilibrated = solver->scaling().scales;
    if (!facts.krylov) {
      report.pivot_growth = facts.pivots.growth;
      report.smallest_pivot = facts.pivots.smallest_pivot;
      report.largest_pivot = facts.pivots.largest_pivot;
    }
    report.notes = first_notes;
    report.notes.insert(report.notes.end(), facts.notes.begin(), facts.notes.end());
  }

  /// Solves for own rows `b` of right-hand sides; the solution is written to `x`. Throws on every
  /// rank where those of one are not as large as its rows.
  Solution solve(std::span<const double> b, Index own_columns, std::span<double> x,
                 bool transposed);

  /// Solves on ranks that do, where all is as it should be.
  Solution solve_own(std::span<const double> b, Index columns, std::span<double> x,
                     bool transposed);

  SolvingTeam by;
  Dense<double> first_guess;  ///< rank 0's, of the first solution
  // Of ranks that solve:
  std::optional<PlannedSystem> planned;
  std::optional<SystemSolver> solver;
  bool is_eliminated = false;            ///< or was tried to be
  std::vector<std::string> first_notes;  ///< of what was chosen, until there are new values
  SetUpReport report;
  std::unique_ptr<Vectors> right, solution;  ///< of the last solve
};

namespace {

/// Own rows from and to memory of the host or, where they lie on a GPU, of either.
void take_rows(Vectors& rows, std::span<const double> from, [[maybe_unused]] bool on_gpu) {
#ifdef SPSOLVE_HAVE_CUDA
  if (on_gpu) return cuda::take_rows(rows, from);
#endif
  rows.write_rows({0, rows.height()}, from);
}
void give_rows(const Vectors& rows, std::span<double> to, [[maybe_unused]] bool on_gpu) {
#ifdef SPSOLVE_HAVE_CUDA
  if (on_gpu) return cuda::give_rows(rows, to);
#endif
  rows.read_rows({0, rows.height()}, to);
}

Solution told(const SolveOutcome& outcome) {
  Solution solution;
  solution.solved = outcome.trust.verdict == Verdict::solved;
  solution.backward_error = outcome.refinement.after.backward_error;
  solution.componentwise_error = outcome.refinement.after.componentwise_error;
  solution.sweeps = outcome.refinement.sweeps;
  if (outcome.condition) {
    solution.condition = outcome.condition->normwise;
    solution.componentwise_condition = outcome.condition->componentwise;
  }
  solution.forward_error_bound = outcome.trust.bound;
  solution.forward_error_estimate = outcome.trust.estimate;
  solution.notes = outcome.trust.notes;
  return solution;
}

}  // namespace

Solver::Solver(const Matrix& a, const Options& options, Ranks ranks) {
  const UsersThreads users;
  state_ = std::make_unique<State>(a, options, std::move(ranks));
}
Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;

Index Solver::order() const {
  return state_->by.order;
}
Range Solver::own() const {
  return state_->own();
}
const SetUpReport& Solver::report() const {
  return state_->report;
}

Solution Solver::State::solve(std::span<const double> b, Index own_columns, std::span<double> x,
                              bool transposed) {
  Team& team = by.ranks.team();
  const Range own = this->own();
  const Index columns = broadcast_value(team, own_columns, 0);
  const UsersThreads users;
  together(team, [&] {
    set_blas_threads(omp_get_max_threads());
    if (columns < 1) fail(ExitCode::input, "right-hand sides of no column: give one at least");
    const auto size = static_cast<std::size_t>(own.size() * columns);
    if (own_columns != columns || b.size() != size || x.size() != size) {
      fail(ExitCode::input,
           "right-hand sides of {} numbers and {} columns for rows {} to {} of the system: give {} "
           "x {}",
           b.size(), own_columns, own.first, own.last, own.size(), columns);
    }
  });
  Solution solved;
  by.solving([&] { solved = solve_own(b, columns, x, transposed); });
  by.share(report);
  by.share(solved);
  return solved;
}

Solution Solver::State::solve_own(std::span<const double> b, Index columns, std::span<double> x,
                                  bool transposed) {
  Team& team = by.team();
  if (right == nullptr || right->columns() != columns) {
    right = solver->matrix().vectors(columns);
    solution = solver->matrix().vectors(columns);
  }
  together(team, [&] {
    if (!b.empty()) take_rows(*right, b, planned->on_gpu());
    std::vector<double> largest(static_cast<std::size_t>(columns));
    right->own_maxima(largest);
    const auto bad = std::find_if_not(largest.begin(), largest.end(),
                                      [](double size) { return std::isfinite(size); });
    if (bad != largest.end()) {
      fail(ExitCode::input, "right-hand side {}, counted from 0, has a value that is not finite",
           bad - largest.begin());
    }
  });
  if (!is_eliminated) eliminate(transposed ? nullptr : right.get());
  PhaseTimes untold;
  const SolveOutcome outcome = transposed ? solver->solve_transposed(*right, *solution, untold)
                                          : solver->solve(*right, *solution, untold);
  tell();
  together(team, [&] {
    if (!x.empty()) give_rows(*solution, x, planned->on_gpu());
  });
  constexpr Index few = 2;  // columns whose room is kept
  if (columns > few) {
    right = nullptr;
    solution = nullptr;
  }
  return told(outcome);
}

namespace {

/// The solution in memory of its own, for right-hand sides that are no view.
template <typename Solve>
Solution solve_dense(const Dense<double>& b, const Solve& solve) {
  Dense<double> x(b.rows, b.columns);
  Solution solution = solve(x.values);
  solution.x = std::move(x);
  return solution;
}

}  // namespace

Solution Solver::solve(std::span<const double> b, Index columns, std::span<double> x,
                       bool transposed) {
  return state_->solve(b, columns, x, transposed);
}

Solution Solver::solve(const Dense<double>& b) {
  return solve_dense(b, [&](std::span<double> x) { return solve(b.values, b.columns, x); });
}

Solution Solver::solve_transposed(const Dense<double>& b) {
  return solve_dense(b, [&](std::span<double> x) { return solve(b.values, b.columns, x, true); });
}

namespace {

/// `bytes` is that of ranks which solve.
SolverPlan told(const PlannedSystem& planned) {
  const SolverQuestion& question = planned.choice->question();
  const SolverRow& row = planned.choice->row();
  const SolverAnalysis analysis = row.analyse(question);
  SolverPlan plan;
  plan.method = name(row.method);
  plan.device = planned.on_gpu() ? "cuda" : "host";
  if (is_sparse(row.method)) {
    plan.ordering = name(question.pattern_analysis.estimate.ordering);
    plan.factor_entries = question.pattern_analysis.estimate.factor_entries;
  }
  plan.flops = analysis.flops;
  plan.seconds = analysis.seconds;
  plan.bytes = planned.plan.resident + planned.plan.peak();
  plan.fits = planned.check.fits;
  plan.remedy = planned.check.remedy;
  plan.text = to_text(planned.plan, planned.check);
  return plan;
}

}  // namespace

SolverPlan plan_solver(const Matrix& a, const Options& options, Ranks ranks) {
  const UsersThreads users;
  SolvingTeam by(a, options, std::move(ranks));
  SolverPlan plan;
  by.solving([&] { plan = told(PlannedSystem(a, options, by)); });
  by.share(plan);
  return plan;
}

void Solver::set_values(std::span<const double> values) {
  const UsersThreads users;
  State& state = *state_;
  together(state.by.ranks.team(), [] { set_blas_threads(omp_get_max_threads()); });
  state.by.solving([&] {
    state.solver->set_values(values);
    state.first_notes.clear();
    state.set_up();
  });
  state.by.share(state.report);
}

}  // namespace spsolve
