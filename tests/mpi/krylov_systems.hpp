#pragma once

#include <gtest/gtest.h>

#include "helpers/systems_in_bands.hpp"
#include "solve_in_team.hpp"
#include "system/system_solver.hpp"

namespace spsolve {

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

  test::HostRanks ranks;
};

}  // namespace spsolve
