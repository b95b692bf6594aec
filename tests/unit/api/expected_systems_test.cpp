// What Method::automatic takes of a Solver, by the systems that are expected: the application's
// choice for one right-hand side of one system, and factors for several.

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>
#include <spsolve/spsolve.hpp>

#include "helpers/error_of.hpp"
#include "helpers/threads.hpp"
#include "matrix/csr.hpp"

namespace spsolve::test {
namespace {

/// A matrix that auto iterates for one system.
const char* const iterated = "grid3d:12";

double error_of_ones(Solver& solver, const Matrix& a, Index columns, bool transposed = false) {
  const Dense<double> ones(a.columns(), columns, 1.0), b = Product(a).apply(ones);
  const Solution solution = transposed ? solver.solve_transposed(b) : solver.solve(b);
  EXPECT_TRUE(solution.solved);
  double most = 0;
  for (const double x : solution.x.values) most = std::max(most, std::abs(x - 1));
  return most;
}

TEST(ExpectedSystems, DecideWhetherAutoIterates) {
  const test::Threads alone(1);
  const Matrix a = Matrix::load(iterated);
  struct Case {
    Index right_hand_sides, systems;
    const char* method;
  };
  for (const Case& each : {Case{1, 1, "cg"}, Case{2, 1, "sparse_cholesky"},
                           Case{1, 2, "sparse_cholesky"}, Case{3, 5, "sparse_cholesky"}}) {
    Options options;
    options.device = Device::host;
    options.right_hand_sides = each.right_hand_sides;
    options.systems = each.systems;
    EXPECT_EQ(plan_solver(a, options).method, each.method);
    Solver solver(a, options);
    EXPECT_EQ(solver.report().method, each.method);
    // More than are expected, and those of A^T, are solved all the same.
    for (const Index columns : {1, 1, 3}) {
      EXPECT_LT(error_of_ones(solver, a, columns), 1e-10);
      EXPECT_LT(error_of_ones(solver, a, columns, true), 1e-10);
    }
    EXPECT_EQ(solver.report().method, each.method);
  }
}

TEST(ExpectedSystems, AnIterationThatFailsIsFollowedByAnElimination) {
  const test::Threads alone(1);
  const Matrix a = Matrix::load(iterated);
  Options options;
  options.device = Device::host;
  options.iterations = 2;
  for (const bool transposed : {false, true}) {
    Solver solver(a, options);
    EXPECT_EQ(solver.report().method, "cg");
    EXPECT_LT(error_of_ones(solver, a, 1, transposed), 1e-10);
    EXPECT_EQ(solver.report().method, "sparse_cholesky");
    ASSERT_FALSE(solver.report().notes.empty());
    EXPECT_NE(solver.report().notes.back().find("auto took cg first"), std::string::npos);
    // Not tried again for new values.
    for (int round = 0; round < 2; ++round) {
      solver.set_values(a.csr().values);
      EXPECT_LT(error_of_ones(solver, a, 1, transposed), 1e-10);
      EXPECT_EQ(solver.report().method, "sparse_cholesky");
      EXPECT_NE(solver.report().notes.back().find("for earlier values"), std::string::npos);
    }
  }
}

TEST(ExpectedSystems, AreAtLeastOne) {
  const Matrix a = Matrix::load("tridiagonal:5");
  Options options;
  options.systems = 0;
  EXPECT_EQ(error_of([&] { Solver(a, options); }), "Options::systems must be 1 at least, not 0");
  options.systems = 1;
  options.right_hand_sides = -2;
  EXPECT_EQ(error_of([&] { plan_solver(a, options); }),
            "Options::right_hand_sides must be 1 at least, not -2");
}

}  // namespace
}  // namespace spsolve::test
