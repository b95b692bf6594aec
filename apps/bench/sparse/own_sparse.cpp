#include "apps/bench/sparse/own_sparse.hpp"

#include "core/error.hpp"
#include "dense/host_device.hpp"
#include "distribute/reading/scatter.hpp"
#include "process/system.hpp"
#include "system/system_solver.hpp"

namespace spsolve::bench {

namespace {

class OwnContender final : public SparseContender {
 public:
  OwnContender(const SparseSystem& system, const SolverOptions& options, const OwnDevice& device,
               Team* all)
      : team_(all != nullptr ? *all : alone_),
        bands_{system.order, team_.size()},
        whole_(system.matrix),
        device_(device),
        memory_(device.gpu ? device.memory(team_) : std::make_unique<spsolve::HostDevice>(team_)),
        matrix_(std::make_unique<SystemMatrix>(
            team_, bands_, scatter_rows(team_, bands_, system.matrix), memory_->vectors())) {
    question_.memory = memory_->memory();
    question_.gpu = device.gpu;
    question_.ranks = team_.size();
    question_.shape = {system.order, system.order, 0,
                       broadcast_value(team_, system.matrix.nonzeros(), 0)};
    question_.right_hand_sides = many_columns;
    question_.options = options;
    question_.options.condition = false;
  }

  /// The analysis of the pattern, where the method is a sparse one or may become one, and the
  /// choice.
  void analyse() override {
    question_.pattern_analysis =
        analyse_pattern(team_, whole_, question_.options, question_.memory);
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
    if (!device_.gpu) return;
    std::vector<double> first(static_cast<std::size_t>(x_->columns()));  // which waits for the GPU
    x_->read_rows({0, std::min<Index>(1, x_->height())}, first);
  }
  Dense<double> solution() const override { return gather_rows(team_, bands_, own_rows(*x_)); }

  FactorFigures figures() const override {
    if (const auto& sparse = solver_->facts().sparse) {
      return {std::string(sparse->factorisation), static_cast<double>(sparse->factor_entries),
              sparse->flops, sparse->gpu};
    }
    const auto n = static_cast<double>(question_.shape.rows);
    return {std::string(name(row_->method)), n * n, solver_->flops()};
  }

 private:
  SoloTeam alone_;
  Team& team_;
  RowLayout bands_;
  const Csr<double>& whole_;  // on rank 0
  OwnDevice device_;
  std::unique_ptr<spsolve::ComputeDevice> memory_;
  std::unique_ptr<SystemMatrix> matrix_;  // until the solver has it
  SolverQuestion question_;
  const SolverRow* row_ = nullptr;
  std::optional<SystemSolver> solver_;
  std::unique_ptr<Vectors> b_, x_;
};

}  // namespace

std::unique_ptr<SparseContender> make_own(const SparseSystem& system, const SolverOptions& options,
                                          const OwnDevice& device, Team* all) {
  return std::make_unique<OwnContender>(system, options, device, all);
}

}  // namespace spsolve::bench
