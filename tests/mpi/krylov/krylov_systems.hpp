#pragma once

#include <gtest/gtest.h>

#include "helpers/systems_in_bands.hpp"
#include "io/matrix_source.hpp"
#include "mpi/solve_in_team.hpp"
#include "system/system_solver.hpp"

namespace spsolve {

/// A matrix whose first row and column are full and small: equilibrated, their sums decide the
/// norm, which backward errors are in proportion to, and as they are they don't.
inline Csr<double> with_a_small_row_and_column() {
  const Csr<double> grid = load_matrix("convdiff3d:7");
  Csr<double> whole;
  whole.rows = whole.columns = grid.rows;
  whole.row_offsets.assign(1, 0);
  for (Index i = 0; i < grid.rows; ++i) {
    std::vector<double> row(static_cast<std::size_t>(grid.columns), i == 0 ? 0x1p-20 : 0.0);
    row[0] = 0x1p-20;
    for (Index k = grid.row_offsets[i]; i > 0 && k < grid.row_offsets[i + 1]; ++k) {
      if (grid.column_indices[k] > 0) row[grid.column_indices[k]] = grid.values[k];
    }
    for (Index j = 0; j < grid.columns; ++j) {
      if (row[j] == 0) continue;
      whole.column_indices.push_back(static_cast<LocalIndex>(j));
      whole.values.push_back(row[j]);
    }
    whole.row_offsets.push_back(static_cast<Index>(whole.values.size()));
  }
  return whole;
}

/// Systems that Krylov methods solve over the ranks of a team.
class Krylov : public testing::Test {
 protected:
  SystemSolver solver_for(std::unique_ptr<SystemMatrix> matrix, const SolverOptions& options) {
    SolverQuestion question;
    question.shape = {matrix->order(), matrix->order(), 0, matrix->nonzeros()};
    question.ranks = ranks.team.size();
    question.options = options;
    return {std::move(matrix), choose_solver(question), question, ranks.memory};
  }
  SystemSolver solver_for(const Csr<double>& whole, const SolverOptions& options) {
    return solver_for(
        std::unique_ptr<SystemMatrix>(new SystemMatrix(test::matrix_in_bands(ranks.team, whole))),
        options);
  }

  struct Solved {
    Dense<double> x;
    SolveOutcome outcome;
    KrylovOutcome krylov;
  };

  static Solved solve(SystemSolver& solver, const Dense<double>& b, bool transposed = false) {
    const auto x = solver.matrix().vectors(b.columns);
    const auto right = test::vectors_of(solver.matrix(), b);
    PhaseTimes times;
    SolveOutcome outcome =
        transposed ? solver.solve_transposed(*right, *x, times) : solver.solve(*right, *x, times);
    return {test::whole(*x), std::move(outcome), *solver.facts().krylov};
  }

  /// Solves, by whatever method it takes, to a backward error of 1e-14.
  static void expect_solved(SystemSolver& solver, const Csr<double>& whole,
                            const Dense<double>& b) {
    const auto x = solver.matrix().vectors(b.columns);
    const auto right = test::vectors_of(solver.matrix(), b);
    PhaseTimes times;
    const SolveOutcome outcome = solver.solve(*right, *x, times);
    EXPECT_EQ(outcome.trust.verdict, Verdict::solved);
    EXPECT_LE(test::backward_error(whole, b, test::whole(*x)), 1e-14);
  }

  static SolverOptions by(Method method, Preconditioner preconditioner, double tolerance = 0) {
    SolverOptions options;
    options.method = method;
    options.preconditioner = preconditioner;
    options.condition = false;
    options.tolerance = tolerance;
    return options;
  }

  test::HostRanks ranks;
};

}  // namespace spsolve
