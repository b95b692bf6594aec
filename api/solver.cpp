#include "spsolve/solver.hpp"

#include <algorithm>
#include <cmath>

#include <omp.h>

#include "api/gpus.hpp"
#include "api/threads.hpp"
#include "core/plain_text.hpp"
#include "distribute/reading/scatter.hpp"
#include "distribute/redistribute.hpp"
#include "krylov/null_space.hpp"
#include "process/system.hpp"
#include "system/system_solver.hpp"
#include "task/backend.hpp"
#include "task/begin.hpp"
#include "task/gpu_memory.hpp"
#include "task/input/coordinates.hpp"
#include "task/solve/solve_plan.hpp"

#ifdef SPSOLVE_HAVE_CUDA
#include "cuda/vectors/products/foreign_rows.hpp"
#endif

namespace spsolve {

namespace {

/// The decisions before anything is taken: where a system is solved, and by which question.
struct Decided {
  Gpus gpus;
  Config config;
  SystemShape shape;
  TaskReport noted;
  std::unique_ptr<ComputeDevice> memory;
  SolverQuestion question;
  bool on_gpu = false;
  FoundCoordinates coordinates;
  const Dense<double>* places = nullptr;  // of all nodes on rank 0, where they come so

  Decided(const Matrix& a, const Options& options, Index right_hand_sides, Team& team)
      : gpus(find_gpus(options.device)) {
    together(team, [&] {
      require_whole_name("Options::coordinates", options.coordinates);
      require_whole_name("Options::ordering_file", options.ordering_file);
      require_whole_name("Options::analysis_file", options.analysis_file);
      require_threads(omp_get_max_threads());
      set_blas_threads(omp_get_max_threads());
    });
    const auto sizes =
        broadcast_value(team, std::array<Index, 3>{a.rows(), a.columns(), a.nonzeros()}, 0);
    const auto [rows, columns, nonzeros] = sizes;
    if (rows != columns) {
      fail_everywhere(ExitCode::input, "the matrix is {} x {}; a Solver needs a square one", rows,
                      columns);
    }
    static_cast<SolverOptions&>(config.solve) = options;
    config.device = options.device;
    config.share_gpus = options.share_gpus;
    shape.matrix.rows = shape.matrix.columns = rows;
    shape.matrix.nonzeros = nonzeros;
    shape.right_hand_sides = right_hand_sides;
    const Index vectors = together(team, [&] {
      return team.rank() == 0 ? null_vectors(options, shape.matrix.rows) : Index{0};
    });
    shape.null_vectors = broadcast_value(team, vectors, 0);
    shape.threads = broadcast_value(team, omp_get_max_threads(), 0);
    PatternAnalysis pattern_analysis = analyse_pattern_for(config, team, a.csr());
    if (!pattern_analysis.note.empty()) noted.notes.push_back(pattern_analysis.note);
    memory = place_system(config, shape, pattern_analysis, team, gpus, noted);
    on_gpu = memory->memory() == MemoryKind::gpu;
    find_nodes(a, options, team);
    question = question_for(config, shape, team.size(), on_gpu ? gpus.dense_bytes : GpuDenseBytes{},
                            std::move(pattern_analysis));
  }

  /// Coordinates from the options, or of a generator.
  void find_nodes(const Matrix& a, const Options& options, Team& team) {
    const auto& given = options.node_coordinates;
    const Index rows = shape.matrix.rows;
    const Index dimensions = together(team, [&] {
      if (team.rank() != 0 || given.columns == 0) return Index{0};
      require_coordinates("Options::node_coordinates", given.rows, given.columns, rows);
      if (!std::ranges::all_of(given.values, [](double x) { return std::isfinite(x); })) {
        fail(ExitCode::input, "Options::node_coordinates: a number is not finite");
      }
      return given.columns;
    });
    coordinates.dimensions = broadcast_value(team, dimensions, 0);
    if (coordinates.dimensions > 0) {
      places = &given;
    } else {
      coordinates = find_coordinates(team, options.coordinates, a.generator(), rows);
    }
  }

  /// The matrix in bands of whole nodes, with their coordinates where the method takes them.
  std::unique_ptr<SystemMatrix> deal_out(const Matrix& a, Team& team) const {
    const bool takes = is_krylov(choose_solver(question).method) && coordinates.dimensions > 0;
    const Index d = takes ? coordinates.dimensions : 1;
    const RowLayout bands = bands_of_nodes(shape.matrix.rows, team.size(), d);
    auto matrix = std::make_unique<SystemMatrix>(team, bands, scatter_rows(team, bands, a.csr()),
                                                 memory->vectors());
    if (!takes) return matrix;
    if (places == nullptr) {
      read_coordinates(coordinates, *matrix);
    } else {
      matrix->set_coordinates(scatter_rows(team, layout_of_nodes(bands, d), *places));
    }
    return matrix;
  }

  MemoryCheck plan(Team& team, MemoryPlan& mine) const {
    return plan_question(question, {}, resident_memory(), team, mine,
                         on_gpu ? free_gpu_memory(gpus) : std::optional<std::int64_t>{});
  }
};

}  // namespace

/// The application's way from a matrix to its inverse, kept for many right-hand sides.
struct Solver::State {
  State(const Matrix& a, const Options& options, Ranks of)
      : ranks(std::move(of)), decided(a, options, 1, ranks.team()) {
    Team& team = ranks.team();
    refuse_what_does_not_fit();
    solver.emplace(decided.deal_out(a, team), choose_solver(decided.question), decided.question,
                   *decided.memory, check_in_double(decided.question, team, decided.gpus));
    report.device = decided.on_gpu ? "cuda" : "host";
    first_notes = decided.noted.notes;
    set_up();
  }

  void refuse_what_does_not_fit() {
    MemoryPlan plan;
    const MemoryCheck check = decided.plan(ranks.team(), plan);
    if (check.fits) return;
    fail_everywhere(ExitCode::resources, "this system does not fit into memory; {}\n{}",
                    check.remedy, to_text(plan, check));
  }

  void set_up() {
    solver->set_up();
    tell();
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

  Ranks ranks;
  Decided decided;
  std::optional<SystemSolver> solver;
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
  return state_->solver->matrix().order();
}
Range Solver::own() const {
  return state_->solver->matrix().own();
}
const SetUpReport& Solver::report() const {
  return state_->report;
}

Solution Solver::State::solve(std::span<const double> b, Index own_columns, std::span<double> x,
                              bool transposed) {
  Team& team = ranks.team();
  const Range own = solver->matrix().own();
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
  if (right == nullptr || right->columns() != columns) {
    right = solver->matrix().vectors(columns);
    solution = solver->matrix().vectors(columns);
  }
  together(team, [&] {
    if (!b.empty()) take_rows(*right, b, decided.on_gpu);
    std::vector<double> largest(static_cast<std::size_t>(columns));
    right->own_maxima(largest);
    const auto bad = std::find_if_not(largest.begin(), largest.end(),
                                      [](double size) { return std::isfinite(size); });
    if (bad != largest.end()) {
      fail(ExitCode::input, "right-hand side {}, counted from 0, has a value that is not finite",
           bad - largest.begin());
    }
  });
  PhaseTimes untold;
  const SolveOutcome outcome = transposed ? solver->solve_transposed(*right, *solution, untold)
                                          : solver->solve(*right, *solution, untold);
  tell();
  together(team, [&] {
    if (!x.empty()) give_rows(*solution, x, decided.on_gpu);
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

SolverPlan plan_solver(const Matrix& a, const Options& options, Index right_hand_sides,
                       Ranks ranks) {
  const UsersThreads users;
  Team& team = ranks.team();
  const Decided decided(a, options, right_hand_sides, team);
  const SolverRow& row = choose_solver(decided.question);
  const SolverAnalysis analysis = row.analyse(decided.question);
  MemoryPlan mine;
  const MemoryCheck check = decided.plan(team, mine);
  SolverPlan plan;
  plan.method = name(row.method);
  plan.device = decided.on_gpu ? "cuda" : "host";
  if (is_sparse(row.method)) {
    plan.ordering = name(decided.question.pattern_analysis.estimate.ordering);
    plan.factor_entries = decided.question.pattern_analysis.estimate.factor_entries;
  }
  plan.flops = analysis.flops;
  plan.seconds = analysis.seconds;
  plan.bytes = mine.resident + mine.peak();
  plan.fits = check.fits;
  plan.remedy = check.remedy;
  plan.text = to_text(mine, check);
  return plan;
}

void Solver::set_values(std::span<const double> values) {
  const UsersThreads users;
  together(state_->ranks.team(), [] { set_blas_threads(omp_get_max_threads()); });
  state_->solver->set_values(values);
  state_->first_notes.clear();
  state_->set_up();
}

}  // namespace spsolve
