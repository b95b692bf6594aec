#include "spsolve/solver.hpp"

#include <omp.h>

#include "api/gpus.hpp"
#include "core/blas.hpp"
#include "distribute/reading/scatter.hpp"
#include "distribute/redistribute.hpp"
#include "process/system.hpp"
#include "system/system_solver.hpp"
#include "task/backend.hpp"
#include "task/gpu_memory.hpp"
#include "task/solve_plan.hpp"

namespace spsolve {

/// The application's way from a matrix to its inverse, kept for many right-hand sides.
struct Solver::State {
  State(const Matrix& a, const Options& options, Ranks of)
      : ranks(std::move(of)), gpus(find_gpus()) {
    Team& team = ranks.team();
    blas::set_threads(omp_get_max_threads());
    const auto sizes =
        broadcast_value(team, std::array<Index, 3>{a.rows(), a.columns(), a.nonzeros()}, 0);
    const auto [rows, columns, nonzeros] = sizes;
    if (rows != columns) {
      fail_everywhere(ExitCode::input, "the matrix is {} x {}; a Solver needs a square one", rows,
                      columns);
    }
    config.solve = Config::Solve{options};
    config.device = options.device;
    config.share_gpus = options.share_gpus;
    TaskReport noted;
    SystemShape shape;
    shape.matrix.rows = shape.matrix.columns = rows;
    shape.matrix.nonzeros = nonzeros;
    shape.threads = broadcast_value(team, omp_get_max_threads(), 0);
    SparseStudy study = study_for(config, team, a.csr());
    memory = place_system(config, shape, study, team, gpus, noted);
    const bool on_gpu = memory->memory() == MemoryKind::gpu;
    question = question_for(config, shape, team.size(), on_gpu ? gpus.dense_bytes : GpuDenseBytes{},
                            std::move(study));
    refuse_what_does_not_fit(on_gpu);
    const RowLayout bands{rows, team.size()};
    solver.emplace(std::make_unique<SystemMatrix>(team, bands, scatter_rows(team, bands, a.csr()),
                                                  memory->vectors()),
                   choose_solver(question), question, *memory,
                   check_in_double(question, team, gpus));
    report.device = on_gpu ? "cuda" : "host";
    report.notes = noted.notes;
    set_up();
  }

  void refuse_what_does_not_fit(bool on_gpu) {
    MemoryPlan plan;
    const MemoryCheck check =
        plan_question(question, {}, resident_memory(), ranks.team(), plan,
                      on_gpu ? free_gpu_memory(gpus) : std::optional<std::int64_t>{});
    if (check.fits) return;
    fail_everywhere(ExitCode::resources, "this system does not fit into memory; {}\n{}",
                    check.remedy, to_text(plan, check));
  }

  void set_up() {
    solver->set_up();
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
    report.notes.insert(report.notes.end(), facts.notes.begin(), facts.notes.end());
  }

  /// Own rows of right-hand sides as vectors. Throws on every rank where those of one are not.
  std::unique_ptr<Vectors> vectors_of(const Dense<double>& b) {
    Team& team = ranks.team();
    const Index columns = broadcast_value(team, b.columns, 0);
    together(team, [&] {
      const Range own = solver->matrix().own();
      if (b.rows != own.size() || b.columns != columns) {
        fail(ExitCode::input,
             "right-hand sides of {} x {} for rows {} to {} of the system and {} columns: give "
             "{} x {}",
             b.rows, b.columns, own.first, own.last, columns, own.size(), columns);
      }
    });
    std::unique_ptr<Vectors> vectors = solver->matrix().vectors(columns);
    set_own_rows(*vectors, b);
    return vectors;
  }

  Ranks ranks;
  Gpus gpus;
  Config config;
  std::unique_ptr<DenseMemory> memory;
  SolverQuestion question;
  std::optional<SystemSolver> solver;
  SetUpReport report;
};

namespace {

Solution told(const Vectors& x, const SolveOutcome& outcome) {
  Solution solution;
  solution.x = own_rows(x);
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

Solver::Solver(const Matrix& a, const Options& options, Ranks ranks)
    : state_(std::make_unique<State>(a, options, std::move(ranks))) {}
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

Solution Solver::solve(const Dense<double>& b) {
  const std::unique_ptr<Vectors> right = state_->vectors_of(b);
  const std::unique_ptr<Vectors> x = right->similar(right->columns());
  PhaseTimes untold;
  return told(*x, state_->solver->solve(*right, *x, untold));
}

Solution Solver::solve_transposed(const Dense<double>& b) {
  const std::unique_ptr<Vectors> right = state_->vectors_of(b);
  const std::unique_ptr<Vectors> x = right->similar(right->columns());
  PhaseTimes untold;
  return told(*x, state_->solver->solve_transposed(*right, *x, untold));
}

void Solver::set_values(std::span<const double> values) {
  state_->report.notes.clear();
  state_->solver->set_values({values.begin(), values.end()});
  state_->set_up();
}

}  // namespace spsolve
