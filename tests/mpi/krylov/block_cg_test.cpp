// Block conjugate gradients over the ranks of a team.

#include <algorithm>

#include <gtest/gtest.h>

#include "helpers/reference.hpp"
#include "io/matrix_source.hpp"
#include "krylov/methods/orthonormal.hpp"
#include "krylov_systems.hpp"
#include "matrix/multivector.hpp"

namespace spsolve {
namespace {

using BlockCg = Krylov;

SolverOptions options_for(Method method) {
  SolverOptions options;
  options.method = method;
  options.preconditioner = Preconditioner::jacobi;
  options.condition = false;
  return options;
}

TEST_F(BlockCg, TakesFewerStepsForMoreRightHandSides) {
  const Csr<double> whole = load_matrix("grid2d:30");
  std::vector<Index> steps;
  for (const Index columns : {1, 4, 16, 64}) {
    SCOPED_TRACE(columns);
    SystemSolver solver = solver_for(whole, options_for(Method::block_cg));
    solver.set_up();
    const Dense<double> b = random_multivector(whole.rows, columns, 3);
    const Solved solved = solve(solver, b);
    EXPECT_TRUE(solved.krylov.converged);
    EXPECT_LE(test::backward_error(whole, b, solved.x), 1e-13);
    steps.push_back(solved.krylov.steps);
  }
  EXPECT_LT(steps[1], steps[0]);
  EXPECT_LT(steps[2], steps[1]);
  EXPECT_LT(2 * steps[3], steps[1]);
}

TEST_F(BlockCg, OfOneColumnIsCg) {
  const Csr<double> whole = load_matrix("grid3d:9");
  const Dense<double> b = random_multivector(whole.rows, 1, 3);
  std::vector<Index> steps;
  for (const Method method : {Method::cg, Method::block_cg}) {
    SystemSolver solver = solver_for(whole, options_for(method));
    solver.set_up();
    steps.push_back(solve(solver, b).krylov.steps);
  }
  EXPECT_NEAR(static_cast<double>(steps[1]), static_cast<double>(steps[0]), 1);
}

TEST_F(BlockCg, LeavesDependentDirectionsOut) {
  // 9 columns of rank 3, one of them nothing, nearly dependent ones, and those of different
  // lengths.
  const Csr<double> whole = load_matrix("grid2d:25");
  const Dense<double> basis = random_multivector(whole.rows, 3, 3);
  for (const double apart : {0.0, 1e-14, 1e-9, 1e-5}) {
    SCOPED_TRACE(apart);
    const Dense<double> noise = random_multivector(whole.rows, 9, 8);
    Dense<double> b(whole.rows, 9);
    for (Index i = 0; i < whole.rows; ++i) {
      for (Index c = 0; c < 9; ++c) {
        const double length = c % 2 == 0 ? 1e6 : 1e-3;
        const double sum = basis(i, c % 3) + (c > 5 ? basis(i, (c + 1) % 3) : 0.0);
        b(i, c) = c == 4 ? 0.0 : length * (sum + apart * noise(i, c));
      }
    }
    SystemSolver solver = solver_for(whole, options_for(Method::block_cg));
    solver.set_up();
    const Solved solved = solve(solver, b);
    EXPECT_TRUE(solved.krylov.converged) << solved.krylov.shortfall;
    EXPECT_LE(test::backward_error(whole, b, solved.x), 1e-13);
    EXPECT_EQ(solved.x(7, 4), 0);
  }
}

TEST_F(BlockCg, TakesMoreThanSixtyFourColumnsInTurns) {
  const Csr<double> whole = load_matrix("grid2d:12");
  const Dense<double> b = random_multivector(whole.rows, 70, 3);
  SystemSolver solver = solver_for(whole, options_for(Method::block_cg));
  solver.set_up();
  EXPECT_LE(test::backward_error(whole, b, solve(solver, b).x), 1e-13);
}

TEST_F(BlockCg, NamesIndefiniteMatrices) {
  const Csr<double> whole = load_matrix("helmholtz2d:20");
  SolverOptions options = options_for(Method::block_cg);
  const std::string message = test::error_of(
      [&] {
        SystemSolver solver = solver_for(whole, options);
        solver.set_up();
        solve(solver, random_multivector(whole.rows, 4, 3));
      },
      ExitCode::not_trustworthy);
  EXPECT_NE(message.find("not positive definite, as block_cg wants it"), std::string::npos)
      << message;
}

TEST_F(BlockCg, OrthonormalVectorsSpanWhatIsIndependent) {
  const Index n = 500;
  Dense<double> w = random_multivector(n, 6, 4);
  for (Index i = 0; i < n; ++i) {
    w(i, 1) = 0;
    w(i, 3) = 1e8 * w(i, 0);
    w(i, 5) = w(i, 2) + 1e-9 * w(i, 5);  // depends on another one to nine digits
  }
  const auto given = test::vectors_of(ranks.team, w);
  const auto found = orthonormal(*given);
  ASSERT_EQ(found->columns(), 3);
  const Dense<double> unit = products(*found, *found);
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 3; ++j) EXPECT_NEAR(unit(i, j), i == j ? 1 : 0, 1e-14);
  }
  // W - Q Q^T W is nothing.
  Dense<double> along = products(*found, *given);
  for (double& value : along.values) value = -value;
  const auto left = copy_of(*given);
  left->add_product(1, *found, along.values);
  const std::vector<double> of_left = norms(*left), of_given = norms(*given);
  for (std::size_t c = 0; c < of_left.size(); ++c) EXPECT_LE(of_left[c], 1e-7 * of_given[c]);
  const auto nothing = given->similar(2);
  EXPECT_EQ(orthonormal(*nothing)->columns(), 0);
}

}  // namespace
}  // namespace spsolve
