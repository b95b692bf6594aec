#include "apps/bench/sparse/own_solvers.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "choice/solver_table.hpp"
#include "core/error.hpp"
#include "dense/host_device.hpp"
#include "distribute/reading/scatter.hpp"
#include "process/system.hpp"
#include "solve/operators/equilibrate.hpp"
#include "system/system_solver.hpp"

namespace spsolve::bench {

namespace {

std::unique_ptr<spsolve::ComputeDevice> memory_of(const OwnDevice& device, Team& team) {
  return device.gpu ? device.memory(team) : std::make_unique<spsolve::HostDevice>(team);
}

SolverQuestion question_of(const SolverOptions& options, const OwnDevice& device,
                           const spsolve::ComputeDevice& memory, int ranks,
                           const MatrixShape& shape, Index right_hand_sides) {
  SolverQuestion question;
  question.memory = memory.memory();
  question.gpu = device.gpu;
  question.ranks = ranks;
  question.shape = shape;
  question.right_hand_sides = right_hand_sides;
  question.options = options;
  question.options.condition = false;
  return question;
}

/// The shape of a system's matrix, or of its real form.
MatrixShape shape_of(Index rows, Index nonzeros, Index parts) {
  return {.rows = rows, .columns = rows, .nonzeros = nonzeros, .parts = parts};
}

/// Reads of x, which waits for the GPU that computes it.
void wait_for(const Vectors& x) {
  std::vector<double> first(static_cast<std::size_t>(x.columns()));
  x.read_rows({0, std::min<Index>(1, x.height())}, first);
}

class OwnContender final : public SparseContender {
 public:
  OwnContender(const SparseSystem& system, const SolverOptions& options, const OwnDevice& device,
               Index systems, Team* all)
      : team_(all != nullptr ? *all : alone_),
        bands_(bands_of_nodes(system.rows(), team_.size(), system.parts)),
        whole_(system.matrix),
        device_(device),
        memory_(memory_of(device, team_)),
        matrix_(std::make_unique<SystemMatrix>(
            team_, bands_, scatter_rows(team_, bands_, system.matrix), memory_->vectors())),
        question_(
            question_of(options, device, *memory_, team_.size(),
                        shape_of(system.rows(), broadcast_value(team_, system.matrix.nonzeros(), 0),
                                 system.parts),
                        many_columns)) {
    hints_.systems = systems;
  }

  /// The analysis of the pattern, where the method is a sparse one or may become one, and the
  /// choice.
  void analyse() override {
    hints_.complex = in_complex_numbers();
    question_.pattern_analysis =
        analyse_pattern(team_, whole_, question_.options, question_.memory, {}, hints_);
    if (device_.gpu) question_.gpu_memory = device_.free_memory();
    together(team_, [&] {
      row_ = &choose_solver(question_);
      const MemoryPlan plan = plan_system(*row_, question_, team_.rank());
      const std::int64_t needed = plan.peak();
      if (const std::int64_t free = available_memory(); needed > free) {
        fail(ExitCode::resources, "it needs {}, and {} are free", readable_bytes(needed),
             readable_bytes(free));
      }
      if (device_.gpu && plan.gpu_peak() > device_.free_memory()) {
        fail(ExitCode::resources, "it needs {} of GPU memory, and {} are free",
             readable_bytes(plan.gpu_peak()), readable_bytes(device_.free_memory()));
      }
    });
    solver_.emplace(std::move(matrix_), *row_, question_, *memory_);
  }

  void factor() override {
    solver_->prepare();
    Progress silent("", 0, Progress::Show::off);
    solver_->eliminate(silent);
  }

  void set_values(std::span<const double> values) override {
    Csr<double> changed = whole_;
    if (team_.rank() == 0) changed.values.assign(values.begin(), values.end());
    solver_->set_values(scatter_rows(team_, bands_, std::move(changed)).values);
  }

  void set_right_hand_sides(const Dense<double>& b) override {
    b_ = solver_->matrix().vectors(b.columns);
    set_own_rows(*b_, scatter_rows(team_, bands_, b));
    x_ = b_->similar(b.columns);
  }

  void solve() override {
    solver_->apply(*b_, *x_);
    if (device_.gpu) wait_for(*x_);
  }

  Dense<double> solution() const override { return gather_rows(team_, bands_, own_rows(*x_)); }

  FactorFigures figures() const override {
    if (const auto& sparse = solver_->facts().sparse) {
      return {std::string(sparse->factorisation), static_cast<double>(sparse->factor_entries),
              sparse->flops, sparse->gpu};
    }
    const auto n =
        static_cast<double>(in_complex_numbers() ? question_.shape.order() : question_.shape.rows);
    return {std::string(name(row_->method)), n * n, solver_->flops()};
  }

 private:
  /// Whether a complex A is eliminated as that: GPUs eliminate the real form.
  bool in_complex_numbers() const {
    return question_.shape.is_complex() && question_.memory == MemoryKind::host;
  }

  SoloTeam alone_;
  Team& team_;
  RowLayout bands_;
  const Csr<double>& whole_;  // on rank 0
  OwnDevice device_;
  std::unique_ptr<spsolve::ComputeDevice> memory_;
  std::unique_ptr<SystemMatrix> matrix_;  // until the solver has it
  SolverQuestion question_;
  SystemHints hints_;
  const SolverRow* row_ = nullptr;
  std::optional<SystemSolver> solver_;
  std::unique_ptr<Vectors> b_, x_;
};

double largest_of(Team& team, std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return all_maximum(team, largest);
}

class OwnIteration final : public IterativeContender {
 public:
  OwnIteration(const IterativeSystem& system, const SolverOptions& options, Team& team,
               const OwnDevice& device)
      : memory_(memory_of(device, team)),
        matrix_(team, system.bands, Csr<double>(system.rows), memory_->vectors()),
        question_(question_of(
            options, device, *memory_, team.size(),
            shape_of(matrix_.order(), system.nonzeros * system.parts * system.parts, system.parts),
            system.b.columns)),
        b_(matrix_.vectors(system.b.columns)) {
    read_coordinates(system.coordinates, matrix_);
    question_.options.tolerance = backward_error_for(system, team);
    set_own_rows(*b_, system.b);
  }

  void set_up() override {
    const SolverRow& row = *together(matrix_.team(), [&] { return &choose_solver(question_); });
    inverse_ = row.make(matrix_.team(), *memory_, question_, {});
    inverse_->find_scaling(matrix_, question_.options.equilibrate, question_.options.precision,
                           scaling_);
    inverse_->prepare(matrix_, scaling_);
  }

  void solve() override {
    std::unique_ptr<Vectors> scaled;
    if (scaling_.scales) {
      scaled = copy_of(*b_);
      scale_own_rows(matrix_, scaling_.rows, *scaled);
    }
    Progress silent("", 0, Progress::Show::off);
    x_ = inverse_->eliminate({silent, nullptr, scaled != nullptr ? scaled.get() : b_.get()});
    if (scaling_.scales) scale_own_rows(matrix_, scaling_.columns, *x_);
    if (question_.gpu) wait_for(*x_);
  }

  Dense<double> solution() const override { return own_rows(*x_); }

  IterationFigures figures() const override {
    const KrylovOutcome& krylov = *inverse_->facts().krylov;
    IterationFigures figures{krylov.steps, krylov.converged, {}, {}};
    if (krylov.levels.empty()) return figures;
    double entries = 0;
    for (const GridLevel& level : krylov.levels) entries += static_cast<double>(level.nonzeros);
    figures.levels = static_cast<Index>(krylov.levels.size());
    figures.operator_complexity = entries / static_cast<double>(krylov.levels.front().nonzeros);
    return figures;
  }

 private:
  /// ||r|| = tolerance ||b|| as a backward error ||r|| / (||A|| ||x|| + ||b||), in maximum norms.
  static double backward_error_for(const IterativeSystem& system, Team& team) {
    if (!system.largest_x) return 0;
    std::vector<double> sums;
    for (Index i = 0; i < system.rows.rows; ++i) {
      double sum = 0;
      for (const double value : system.rows.row_values(i)) sum += std::abs(value);
      sums.push_back(sum);
    }
    const double of_b = largest_of(team, system.b.values);
    return system.tolerance * of_b / (largest_of(team, sums) * *system.largest_x + of_b);
  }

  std::unique_ptr<spsolve::ComputeDevice> memory_;
  SystemMatrix matrix_;
  SolverQuestion question_;
  Equilibration scaling_;
  std::unique_ptr<Inverse> inverse_;
  std::unique_ptr<Vectors> b_, x_;
};

}  // namespace

std::unique_ptr<SparseContender> make_own(const SparseSystem& system, const SolverOptions& options,
                                          const OwnDevice& device, Index systems, Team* all) {
  return std::make_unique<OwnContender>(system, options, device, systems, all);
}

std::unique_ptr<IterativeContender> make_own_iteration(const IterativeSystem& system,
                                                       const SolverOptions& options, Team& team,
                                                       const OwnDevice& device) {
  return std::make_unique<OwnIteration>(system, options, team, device);
}

}  // namespace spsolve::bench
