#include "spsolve/solver.hpp"

#include <algorithm>
#include <cmath>

#include <omp.h>

#include "api/solver_state.hpp"
#include "api/threads.hpp"
#include "core/names/row_names.hpp"
#include "plan/blas_threads.hpp"
#include "system/first_guess.hpp"

#ifdef SPSOLVE_HAVE_CUDA
#include "cuda/vectors/products/foreign_rows.hpp"
#endif

namespace spsolve {

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

constexpr const char* right_sides_are_real =
    "the matrix is complex, and the right-hand sides are real; give them as complex numbers";

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
  state_ = std::make_unique<State>(a, options, std::move(ranks), true);
}
Solver Solver::analysed(const Matrix& a, const Options& options, Ranks ranks) {
  const UsersThreads users;
  return Solver(std::make_unique<State>(a, options, std::move(ranks), false));
}
Solver::Solver(std::unique_ptr<State> state) : state_(std::move(state)) {}
Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;

Index Solver::order() const {
  return state_->by.order;
}
bool Solver::is_complex() const {
  return state_->by.parts > 1;
}
Range Solver::own() const {
  return state_->own();
}
const SetUpReport& Solver::report() const {
  return state_->report;
}

Solution Solver::State::solve(std::span<const double> b, Index own_columns, std::span<double> x,
                              bool transposed) {
  const Index columns = broadcast_value(by.ranks.team(), own_columns, 0);
  if (by.parts > 1) fail_everywhere(ExitCode::input, right_sides_are_real);
  require_sizes(b.size(), own_columns, columns, x.size());
  return solve_parts(b, columns, x, transposed);
}

void Solver::State::precondition(std::span<const double> b, Index own_columns, std::span<double> x,
                                 bool transposed) {
  const Index columns = broadcast_value(by.ranks.team(), own_columns, 0);
  if (by.parts > 1) fail_everywhere(ExitCode::input, right_sides_are_real);
  require_sizes(b.size(), own_columns, columns, x.size());
  precondition_parts(b, columns, x, transposed);
}

void Solver::State::precondition_parts(std::span<const double> b, Index columns,
                                       std::span<double> x, bool transposed) {
  const UsersThreads users;
  together(by.ranks.team(), [] { set_blas_threads(omp_get_max_threads()); });
  by.solving([&] {
    take_right(b, columns);
    solver->precondition(transposed, *right, *solution);
    give_solution(x);
  });
}

void Solver::State::substitute(Substitution step, std::span<const double> b, Index own_columns,
                               std::span<double> x, bool transposed) {
  const Index columns = broadcast_value(by.ranks.team(), own_columns, 0);
  if (by.parts > 1) fail_everywhere(ExitCode::input, right_sides_are_real);
  require_sizes(b.size(), own_columns, columns, x.size());
  substitute_parts(step, b, columns, x, transposed);
}

void Solver::State::substitute_parts(Substitution step, std::span<const double> b, Index columns,
                                     std::span<double> x, bool transposed) {
  const UsersThreads users;
  const RowNames names(by.parts);
  together(by.ranks.team(), [] { set_blas_threads(omp_get_max_threads()); });
  by.solving([&] {
    take_right(b, columns);
    solver->substitute(step, transposed, *right, *solution);
    tell();
    give_solution(x);
  });
  by.share(report);
}

void Solver::State::require_sizes(std::size_t b, Index own_columns, Index columns, std::size_t x) {
  const Range own = this->own();
  together(by.ranks.team(), [&] {
    if (columns < 1) fail(ExitCode::input, "right-hand sides of no column: give one at least");
    const auto size = static_cast<std::size_t>(own.size() * columns);
    if (own_columns == columns && b == size && x == size) return;
    fail(ExitCode::input,
         "right-hand sides of {} numbers and {} columns for rows {} to {} of the system: give {} "
         "x {}",
         b, own_columns, own.first, own.last, own.size(), columns);
  });
}

Solution Solver::State::solve_parts(std::span<const double> b, Index columns, std::span<double> x,
                                    bool transposed) {
  const UsersThreads users;
  const RowNames names(by.parts);
  together(by.ranks.team(), [] { set_blas_threads(omp_get_max_threads()); });
  Solution solved;
  by.solving([&] { solved = solve_own(b, columns, x, transposed); });
  by.share(report);
  by.share(solved);
  return solved;
}

void Solver::State::take_right(std::span<const double> b, Index columns) {
  if (right == nullptr || right->columns() != columns) {
    right = solver->matrix().vectors(columns);
    solution = solver->matrix().vectors(columns);
  }
  together(by.team(), [&] {
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
}

void Solver::State::give_solution(std::span<double> x) {
  together(by.team(), [&] {
    if (!x.empty()) give_rows(*solution, x, planned->on_gpu());
  });
  constexpr Index few = 2;  // columns whose room is kept
  if (solution->columns() <= few) return;
  right = nullptr;
  solution = nullptr;
}

Solution Solver::State::solve_own(std::span<const double> b, Index columns, std::span<double> x,
                                  bool transposed) {
  const Timer timer;
  take_right(b, columns);
  if (!is_eliminated) eliminate(transposed ? nullptr : right.get());
  PhaseTimes untold;
  const SolveOutcome outcome = transposed ? solver->solve_transposed(*right, *solution, untold)
                                          : solver->solve(*right, *solution, untold);
  tell();
  give_solution(x);
  Solution solved = told(outcome);
  solved.seconds = timer.seconds();
  if (const std::optional<KrylovOutcome>& krylov = solver->facts().krylov) {
    solved.steps = krylov->steps;
    solved.history = krylov->history;
  }
  return solved;
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

void Solver::precondition(std::span<const double> b, Index columns, std::span<double> x,
                          bool transposed) {
  state_->precondition(b, columns, x, transposed);
}

void Solver::substitute(Substitution step, std::span<const double> b, Index columns,
                        std::span<double> x, bool transposed) {
  state_->substitute(step, b, columns, x, transposed);
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
  const RowNames names(by.parts);
  SolverPlan plan;
  by.solving([&] { plan = told(PlannedSystem(a, options, by)); });
  by.share(plan);
  return plan;
}

SolverPlan Solver::plan() const {
  SolverPlan plan;
  state_->by.solving([&] { plan = told(*state_->planned); });
  state_->by.share(plan);
  return plan;
}

std::optional<Inertia> Solver::inertia() {
  const UsersThreads users;
  State& state = *state_;
  const RowNames names(state.by.parts);
  std::optional<Inertia> told;
  state.by.solving([&] {
    // Eigenvalues of a real form with signs are not those of A.
    if (state.by.conjugates) return;
    told = state.solver->ensured_inertia();
    if (state.is_eliminated) state.tell();  // factors that are tried may be made anew
  });
  state.by.share(state.report);
  if (told && told->positive >= 0) {
    for (Index* count : {&told->positive, &told->negative, &told->zero}) *count /= state.by.parts;
  }
  if (told) told->rows = RowNames::told_once(std::move(told->rows));
  state.by.share(told);
  return told;
}

std::vector<double> Solver::State::shifted(std::optional<std::span<const double>> values,
                                           std::span<const double> shifts,
                                           std::vector<double>& unshifted) {
  const SystemMatrix& matrix = solver->matrix();
  const Csr<double>& rows = matrix.local_rows();
  std::vector<double> all;
  std::vector<Index> at(rows.rows, -1);  // of diagonal elements
  together(by.team(), [&] {
    if (values && std::ssize(*values) != rows.nonzeros()) {
      fail(ExitCode::input, "there are {} values for {} non-zeros", values->size(),
           rows.nonzeros());
    }
    const Range own = this->own();
    if (std::ssize(shifts) != own.size()) {
      fail(ExitCode::input, "there are {} shifts for {} rows", shifts.size(), own.size());
    }
    const std::span<const double> given = values.value_or(rows.values);
    all.assign(given.begin(), given.end());
    for (Index i = 0; i < rows.rows; ++i) {
      for (Index k = rows.row_offsets[i]; k < rows.row_offsets[i + 1]; ++k) {
        if (matrix.global_column(rows.column_indices[k]) == matrix.own().first + i) at[i] = k;
      }
      const Index row = own.first + i / by.parts;
      const double shift = shifts[i / by.parts];
      if (!std::isfinite(shift)) fail(ExitCode::input, "the shift of row {} is no number", row);
      if (shift != 0 && at[i] < 0) {
        fail(ExitCode::input,
             "row {}, counted from 0, has no entry on the diagonal that a shift could be added to: "
             "store a zero there",
             row);
      }
    }
  });
  const bool from_values = values || diagonal.empty();
  unshifted.resize(rows.rows);
  for (Index i = 0; i < rows.rows; ++i) {
    if (at[i] < 0) continue;
    unshifted[i] = from_values ? all[at[i]] : diagonal[i];
    // Odd rows of a real form with signs have the other one.
    const double sign = by.conjugates && i % by.parts == 1 ? -1 : 1;
    all[at[i]] = unshifted[i] + sign * shifts[i / by.parts];
  }
  return all;
}

void Solver::State::set_values(std::optional<std::span<const double>> values,
                               std::optional<std::span<const double>> shifts) {
  const UsersThreads users;
  const RowNames names(by.parts);
  together(by.ranks.team(), [] { set_blas_threads(omp_get_max_threads()); });
  by.solving([&] {
    std::vector<double> unshifted;
    solver->set_values(shifts ? shifted(values, *shifts, unshifted) : *values);
    diagonal = std::move(unshifted);
    first_notes.clear();
    set_up();
  });
  by.share(report);
}

namespace {

constexpr const char* values_are_real =
    "the matrix is complex, and its new values are real; give them as complex numbers";

}  // namespace

void Solver::set_values(std::span<const double> values) {
  if (is_complex()) fail_everywhere(ExitCode::input, values_are_real);
  state_->set_values(values, {});
}

void Solver::set_values(std::span<const double> values, std::span<const double> shifts) {
  if (is_complex()) fail_everywhere(ExitCode::input, values_are_real);
  state_->set_values(values, shifts);
}

void Solver::set_shifts(std::span<const double> shifts) {
  state_->set_values({}, shifts);
}

}  // namespace spsolve
