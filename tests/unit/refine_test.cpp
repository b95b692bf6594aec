#include "eliminate/refine.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "helpers/reference.hpp"

namespace spsolve {
namespace {

/// diag(1, 2, 4) and b = ones.
struct Diagonal {
  SoloTeam team;
  RowBands bands{3, 1};
  Csr<double> matrix;
  Dense<double> b{3, 1, 1.0};
  Dense<double> residual{3, 1};

  Diagonal() {
    Dense<double> dense(3, 3);
    dense(0, 0) = 1;
    dense(1, 1) = 2;
    dense(2, 2) = 4;
    matrix = test::sparse(dense);
  }
  Quality of(const Dense<double>& x) { return measure(team, bands, matrix, b, x, residual); }
};

TEST(Measure, IsZeroForTheExactSolution) {
  Diagonal system;
  Dense<double> x(3, 1);
  x.values = {1, 0.5, 0.25};
  const Quality quality = system.of(x);
  EXPECT_EQ(quality.backward_error, 0);
  EXPECT_EQ(quality.componentwise_error, 0);
}

TEST(Measure, FollowsTheDefinitions) {
  Diagonal system;
  Dense<double> x(3, 1);
  x.values = {1, 0.5, 0.5};
  const Quality quality = system.of(x);
  // r = (0, 0, -1); ||A|| = 4, ||x|| = 1, ||b|| = 1; (|A||x| + |b|)_3 = 2 + 1.
  EXPECT_DOUBLE_EQ(quality.backward_error, 1.0 / 5.0);
  EXPECT_DOUBLE_EQ(quality.componentwise_error, 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(system.residual(2, 0), -1.0);
}

TEST(Measure, NeverCallsANanGood) {
  Diagonal system;
  for (const double bad : {static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    Dense<double> x(3, 1);
    x.values = {1, bad, 0.25};
    EXPECT_TRUE(std::isinf(system.of(x).backward_error));
    EXPECT_TRUE(std::isinf(system.of(x).componentwise_error));
  }
}

TEST(Refine, StopsWhenItNoLongerHelpsAndKeepsTheBest) {
  Diagonal system;
  Dense<double> x(3, 1, 0.9);
  int calls = 0;
  // A "solver" whose corrections are worthless.
  const auto useless = [&](Dense<double>& y) {
    ++calls;
    for (double& value : y.values) value = 100;
  };
  const Dense<double> before = x;
  const Refinement refinement =
      refine(system.team, system.bands, system.matrix, system.b, useless, 10, x);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(refinement.sweeps, 0);
  EXPECT_EQ(x.values, before.values);
  EXPECT_EQ(refinement.after.backward_error, refinement.before.backward_error);
}

TEST(Refine, ConvergesWithACrudeSolver) {
  Diagonal system;
  Dense<double> x(3, 1);
  const auto crude = [&](Dense<double>& y) {
    const double inverse[] = {0.9, 0.45, 0.3};
    for (Index i = 0; i < 3; ++i) y(i, 0) *= inverse[i];
  };
  const Refinement refinement =
      refine(system.team, system.bands, system.matrix, system.b, crude, 60, x);
  EXPECT_LE(refinement.after.backward_error, unit_roundoff);
  EXPECT_NEAR(x(2, 0), 0.25, 1e-15);
  EXPECT_GT(refinement.sweeps, 5);
}

}  // namespace
}  // namespace spsolve
