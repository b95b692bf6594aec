#include "apps/bench/sparse/own_sparse.hpp"

#include "core/error.hpp"
#include "process/system.hpp"
#include "system/system_solver.hpp"

namespace spsolve::bench {

namespace {

class OwnContender final : public SparseContender {
 public:
  OwnContender(const SparseSystem& system, const SolverOptions& options, const OwnDevice& device)
      : whole_(system.matrix),
        device_(device),
        memory_(device.gpu ? device.memory(team_) : std::make_unique<HostDenseMemory>(team_)),
        matrix_(std::make_unique<SystemMatrix>(team_, RowLayout{system.order, 1},
                                               Csr<double>(system.matrix), memory_->vectors())) {
    question_.memory = memory_->memory();
    question_.gpu = device.gpu;
    question_.shape = {system.order, system.order, 0, system.matrix.nonzeros()};
    question_.right_hand_sides = many_columns;
    question_.options = options;
    question_.options.condition = false;
  }

  /// The study of the pattern, where the method is a sparse one or may become one, and the choice.
  void analyse() override {
    question_.study = study_sparsity(team_, whole_, question_.options);
    if (device_.gpu) question_.gpu_memory = device_.free_memory();
    row_ = &choose_solver(question_);
    const MemoryPlan plan = plan_system(*row_, question_, 0);
    const std::int64_t needed = plan.peak();
    if (const std::int64_t free = available_memory(); needed > free) {
      fail(ExitCode::resources, "it needs {}, and {} are free", readable_bytes(needed),
           readable_bytes(free));
    }
    if (device_.gpu && plan.gpu_peak() > device_.free_memory()) {
      fail(ExitCode::resources, "it needs {} of GPU memory, and {} are free",
           readable_bytes(plan.gpu_peak()), readable_bytes(device_.free_memory()));
    }
    solver_.emplace(std::move(matrix_), *row_, question_, *memory_);
  }

  void factor() override {
    solver_->prepare();
    Progress silent("", 0, Progress::Show::off);
    solver_->eliminate(silent);
  }

  void set_values(std::span<const double> values) override { solver_->set_values(values); }

  void set_right_hand_sides(const Dense<double>& b) override {
    b_ = solver_->matrix().vectors(b.columns);
    set_own_rows(*b_, b);
    x_ = b_->similar(b.columns);
  }

  void solve() override {
    solver_->apply(*b_, *x_);
    if (!device_.gpu) return;
    std::vector<double> first(static_cast<std::size_t>(x_->columns()));  // which waits for the GPU
    x_->read_rows({0, std::min<Index>(1, x_->height())}, first);
  }
  Dense<double> solution() const override { return own_rows(*x_); }

  FactorFigures figures() const override {
    if (const auto& sparse = solver_->facts().sparse) {
      return {std::string(sparse->factorisation), static_cast<double>(sparse->factor_entries),
              sparse->flops};
    }
    const auto n = static_cast<double>(question_.shape.rows);
    return {std::string(name(row_->method)), n * n, solver_->flops()};
  }

 private:
  SoloTeam team_;
  const Csr<double>& whole_;
  OwnDevice device_;
  std::unique_ptr<DenseMemory> memory_;
  std::unique_ptr<SystemMatrix> matrix_;  // until the solver has it
  SolverQuestion question_;
  const SolverRow* row_ = nullptr;
  std::optional<SystemSolver> solver_;
  std::unique_ptr<Vectors> b_, x_;
};

}  // namespace

std::unique_ptr<SparseContender> make_own(const SparseSystem& system, const SolverOptions& options,
                                          const OwnDevice& device) {
  return std::make_unique<OwnContender>(system, options, device);
}

}  // namespace spsolve::bench
