#include "apps/bench/iterate/own_iteration.hpp"

#include <algorithm>
#include <cmath>

#include "choice/solver_table.hpp"
#include "dense/host_device.hpp"
#include "solve/operators/equilibrate.hpp"

namespace spsolve::bench {

namespace {

double largest_of(Team& team, std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return all_maximum(team, largest);
}

class OwnIteration final : public IterativeContender {
 public:
  OwnIteration(const IterativeSystem& system, const SolverOptions& options, Team& team,
               const OwnDevice& device)
      : on_gpu_(device.gpu),
        memory_(device.gpu ? device.memory(team) : std::make_unique<spsolve::HostDevice>(team)),
        matrix_(team, system.bands, Csr<double>(system.rows), memory_->vectors()) {
    read_coordinates(system.coordinates, matrix_);
    question_.memory = memory_->memory();
    question_.gpu = device.gpu;
    question_.ranks = team.size();
    question_.shape = {matrix_.order(), matrix_.order(), 0, system.nonzeros};
    question_.right_hand_sides = system.b.columns;
    question_.options = options;
    question_.options.condition = false;
    question_.options.tolerance = backward_error_for(system, team);
    b_ = matrix_.vectors(system.b.columns);
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
    if (!on_gpu_) return;
    std::vector<double> first(static_cast<std::size_t>(x_->columns()));  // which waits for the GPU
    if (x_->height() > 0) x_->read_rows({0, 1}, first);
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

  bool on_gpu_;
  std::unique_ptr<spsolve::ComputeDevice> memory_;
  SystemMatrix matrix_;
  SolverQuestion question_;
  Equilibration scaling_;
  std::unique_ptr<Inverse> inverse_;
  std::unique_ptr<Vectors> b_, x_;
};

}  // namespace

std::unique_ptr<IterativeContender> make_own_iteration(const IterativeSystem& system,
                                                       const SolverOptions& options, Team& team,
                                                       const OwnDevice& device) {
  return std::make_unique<OwnIteration>(system, options, team, device);
}

}  // namespace spsolve::bench
