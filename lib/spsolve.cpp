#include "spsolve.hpp"

#include "core/progress.hpp"
#include "distribute/scatter.hpp"
#include "eliminate/mixed.hpp"
#include "multiply/kernel.hpp"
#include "task/right_hand_side.hpp"

namespace spsolve {

namespace {

MatrixFacts facts_about(const Csr<double>& matrix) {
  return facts_of(matrix);
}

/// Rounding keeps equal values equal, so the facts are those of the same matrix in double.
MatrixFacts facts_about(const Csr<float>& matrix) {
  return facts_of(csr_cast<double>(matrix));
}

void check_system(const Csr<double>& a, const Dense<double>& b) {
  if (a.rows != a.columns) {
    fail(ExitCode::input, "solve: A is {} x {}; a system needs a square matrix", a.rows, a.columns);
  }
  if (b.rows != a.rows || b.columns < 1) {
    fail(ExitCode::input, "solve: B is {} x {}, but A has {} rows; B needs as many, and a column",
         b.rows, b.columns, a.rows);
  }
}

}  // namespace

template <typename T>
Dense<T> multiply(const Csr<T>& a, const Dense<T>& x, std::string_view kernel) {
  if (x.rows != a.columns || x.columns < 1) {
    fail(ExitCode::input, "multiply: X is {} x {}, but A has {} columns; X needs as many rows",
         x.rows, x.columns, a.columns);
  }
  const Kernel& row = find_kernel(host_kernels(), kernel);
  const std::string reason = row.refuse(facts_about(a), x.columns, sizeof(T));
  if (!reason.empty()) fail(ExitCode::input, "multiply: {} refuses: {}", kernel, reason);
  Dense<T> y(a.rows, x.columns);
  prepare<T>(row, a, KernelOptions{x.columns, 0, 0})
      ->multiply(x.values.data(), y.values.data(), x.columns);
  return y;
}

template Dense<float> multiply(const Csr<float>&, const Dense<float>&, std::string_view);
template Dense<double> multiply(const Csr<double>&, const Dense<double>&, std::string_view);

Solution solve(Team& team, const Csr<double>& a, const Dense<double>& b,
               const SolveOptions& options) {
  together(team, [&] {
    if (team.rank() == 0) check_system(a, b);
  });
  const Index order = broadcast_value(team, a.rows, 0);
  const EliminationChoice choice = choose_elimination(
      options.method, options.pivoting, options.precision, options.block, order, team.size());
  const RowBands bands{order, team.size()};
  Dense<double> right = b;
  share_multivector(team, right);
  const Csr<double> rows = scatter_rows(team, bands, a);
  const Csr<double> dealt = deals_in_cycles(choice, team.size())
                                ? scatter_rows(team, cyclic_rows(choice, order, team.size()), a)
                                : Csr<double>{};

  Progress silent("eliminating", 1, Progress::Show::off);
  HostBands host(team);
  const Eliminated eliminated = prepare_system(
      team, host, bands, rows, {}, borrowed(deals_in_cycles(choice, team.size()) ? dealt : rows),
      choice, right)(silent);
  Solution solution;
  solution.x = right;
  eliminated.solve(solution.x);
  solution.refinement =
      refine(team, bands, rows, right, eliminated.solve, options.refinement, solution.x);
  solution.pivots = eliminated.pivots;
  return solution;
}

Solution solve(const Csr<double>& a, const Dense<double>& b, const SolveOptions& options) {
  SoloTeam alone;
  return solve(alone, a, b, options);
}

}  // namespace spsolve
