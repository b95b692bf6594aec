// Where Krylov methods stop, over the ranks of a team.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "helpers/reference.hpp"
#include "io/matrix_source.hpp"
#include "krylov/methods/krylov_method.hpp"
#include "krylov_systems.hpp"
#include "matrix/multivector.hpp"
#include "matrix/structure.hpp"

namespace spsolve {
namespace {

TEST_F(Krylov, GmresStopsWithinACycleWhereItIsEnough) {
  const Csr<double> whole = load_matrix("convdiff3d:10");
  SolverOptions options;
  options.method = Method::gmres;
  options.preconditioner = Preconditioner::ilu0;
  options.condition = false;
  options.refinement = 0;
  for (const Index columns : {1, 3}) {
    const Dense<double> b = random_multivector(whole.rows, columns, 3);
    for (const double tolerance : {1e-3, 1e-6, 1e-9, 3e-12}) {
      SCOPED_TRACE(fmt::format("{} {}", columns, tolerance));
      options.tolerance = tolerance;
      options.iterations = 0;
      SystemSolver solver = solver_for(whole, options);
      solver.set_up();
      const KrylovOutcome enough = solve(solver, b).krylov;
      EXPECT_TRUE(enough.converged);
      EXPECT_LE(enough.history.back(), tolerance);
      if (enough.steps > options.restart || enough.steps < 3) continue;
      // Two steps before that it was not enough, by the true residual.
      options.iterations = enough.steps - 2;
      SystemSolver before = solver_for(whole, options);
      before.set_up();
      const Solved less = solve(before, b);
      EXPECT_FALSE(less.krylov.converged);
      EXPECT_GT(test::backward_error(whole, b, less.x), tolerance);
    }
  }
}

TEST_F(Krylov, GmresDoesNotCallItAStandstillWhereLessThanAHalfIsWanted) {
  // Maxima and Euclidean norms of residuals do not shrink alike: one is the other's limit here.
  struct Case {
    const char* generator;
    Preconditioner preconditioner;
    std::vector<double> tolerances;
  };
  for (const Case& each :
       {Case{"convdiff3d:10", Preconditioner::chebyshev, {2e-13, 1e-13, 6e-14}},
        Case{"elastic3d:4", Preconditioner::none, {1e-12, 5e-13, 2e-13, 1e-13}}}) {
    // Ranks that share the cores of a small machine wait for each other at every product.
    if (ranks.team.size() > 1 && each.preconditioner == Preconditioner::none) continue;
    const Csr<double> whole = load_matrix(each.generator);
    const Dense<double> b = random_multivector(whole.rows, 1, 1);
    for (const double tolerance : each.tolerances) {
      SolverOptions options;
      options.method = Method::gmres;
      options.preconditioner = each.preconditioner;
      options.condition = false;
      options.tolerance = tolerance;
      SystemSolver solver = solver_for(whole, options);
      solver.set_up();
      EXPECT_TRUE(solve(solver, b).krylov.converged) << each.generator << " " << tolerance;
    }
  }
}

TEST_F(Krylov, StopsAtTheToleranceThatIsAskedFor) {
  const Csr<double> whole = load_matrix("grid2d:25");
  const Dense<double> b = random_multivector(whole.rows, 1, 3);
  Index steps = 0;
  for (const double tolerance : {1e-4, 1e-8, 0.0}) {
    SolverOptions options;
    options.method = Method::cg;
    options.preconditioner = Preconditioner::jacobi;
    options.tolerance = tolerance;
    SystemSolver solver = solver_for(whole, options);
    solver.set_up();
    const Solved solved = solve(solver, b);
    const double error = solved.outcome.refinement.after.backward_error;
    EXPECT_TRUE(solved.krylov.converged);
    EXPECT_LE(error, tolerance > 0 ? tolerance : 1e-13);
    if (tolerance > 0) {
      EXPECT_GT(error, tolerance / 1e3) << "it went on for longer than it was asked to";
    }
    EXPECT_GT(solved.krylov.steps, steps);
    steps = solved.krylov.steps;
  }
}

TEST_F(Krylov, TheToleranceIsThatOfTheMatrixAsItIsAlsoWhereItIsEquilibrated) {
  const Csr<double> whole = with_a_small_row_and_column();
  const Dense<double> b = random_multivector(whole.rows, 1, 3);
  for (const bool transposed : {false, true}) {
    const Csr<double> matrix = transposed ? transpose(whole) : whole;
    for (const Method method : {Method::gmres, Method::bicgstab, Method::idr}) {
      for (const double tolerance : {1e-4, 1e-9}) {
        SCOPED_TRACE(fmt::format("{} {} {}", name(method), tolerance, transposed));
        SolverOptions options;
        options.method = method;
        options.preconditioner = Preconditioner::jacobi;
        options.tolerance = tolerance;
        options.refinement = 0;
        options.condition = false;
        SystemSolver solver = solver_for(whole, options);
        solver.set_up();
        const Solved solved = solve(solver, b, transposed);
        EXPECT_TRUE(solver.scaling().scales);
        EXPECT_TRUE(solved.krylov.converged);
        EXPECT_LE(test::backward_error(matrix, b, solved.x), tolerance);
        EXPECT_EQ(solved.krylov.history.size(), static_cast<std::size_t>(solved.krylov.steps) + 1);
      }
    }
  }
}

TEST_F(Krylov, StopsWhenItsTimeIsUp) {
  const Csr<double> whole = load_matrix("grid2d:30");
  const Dense<double> b = random_multivector(whole.rows, 1, 3);
  for (const KrylovMethod& method : krylov_methods()) {
    SCOPED_TRACE(name(method.method));
    SolverOptions options;
    options.method = method.method;
    options.preconditioner = Preconditioner::jacobi;
    options.time_limit = 1e-6;  // less than a step takes
    SystemSolver solver = solver_for(whole, options);
    const auto right = test::vectors_of(solver.matrix(), b);
    const auto x = solver.matrix().vectors(1);
    solver.prepare();
    Progress silent("test", 0, Progress::Show::off);
    solver.eliminate(silent, nullptr, right.get());
    PhaseTimes times;
    const SolveOutcome outcome = solver.solve(*right, *x, times);
    const KrylovOutcome& krylov = *solver.facts().krylov;
    EXPECT_EQ(krylov.steps, 1);
    EXPECT_FALSE(krylov.converged);
    EXPECT_NE(krylov.shortfall.find("took all of its time, 1e-06 s"), std::string::npos);
    EXPECT_EQ(outcome.trust.verdict, Verdict::not_trustworthy);
    EXPECT_LT(outcome.refinement.after.backward_error, 1) << "x is that of the step";
  }
}

}  // namespace
}  // namespace spsolve
