#include "solve/trust/refine.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "helpers/reference.hpp"
#include "helpers/systems_in_bands.hpp"

namespace spsolve {
namespace {

Csr<double> diagonal_matrix() {
  Dense<double> dense(3, 3);
  dense(0, 0) = 1;
  dense(1, 1) = 2;
  dense(2, 2) = 4;
  return test::sparse(dense);
}

/// diag(1, 2, 4) and b = ones.
struct Diagonal {
  SoloTeam team;
  SystemMatrix matrix = test::matrix_in_bands(team, diagonal_matrix());
  std::unique_ptr<Vectors> b = test::vectors_of(matrix, Dense<double>(3, 1, 1.0));
  std::unique_ptr<Vectors> residual = matrix.vectors(1);

  Quality of(const Dense<double>& x) {
    return measure(matrix, *b, *test::vectors_of(matrix, x), *residual);
  }
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
  EXPECT_DOUBLE_EQ(own_rows(*system.residual)(2, 0), -1.0);
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
  const Dense<double> before(3, 1, 0.9);
  const std::unique_ptr<Vectors> x = test::vectors_of(system.matrix, before);
  int calls = 0;
  // A "solver" whose corrections are worthless.
  test::OperatorOf useless([&](Dense<double>& y) {
    ++calls;
    for (double& value : y.values) value = 100;
  });
  RefinementSpace space;
  space.magnitudes = system.matrix.vectors(1);
  const Refinement refinement =
      refine(system.matrix, *system.b, useless, {.most_sweeps = 10}, *x, space);
  EXPECT_EQ(space.magnitudes, nullptr) << "of an x that was not kept";
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(refinement.sweeps, 0);
  EXPECT_EQ(own_rows(*x).values, before.values);
  EXPECT_EQ(refinement.after.backward_error, refinement.before.backward_error);
}

TEST(Refine, GoesOnWhereAKnownRateSaysThatASmallPartIsNotThereYet) {
  // Eigenvalues 1, of (1, 1), and s, of (1, -1), which converges by a tenth a step, the first at
  // once; x = (1 + t, 1 - t). Residuals show next to nothing of the second.
  SoloTeam team;
  constexpr double s = 0x1p-25, t = 0x1p-27;
  Dense<double> a(2, 2), b(2, 1);
  a.values = {(1 + s) / 2, (1 - s) / 2, (1 - s) / 2, (1 + s) / 2};
  b.values = {1 + s * t, 1 - s * t};
  SystemMatrix matrix = test::matrix_in_bands(team, test::sparse(a));
  test::OperatorOf slow([](Dense<double>& y) {
    const double mean = (y(0, 0) + y(1, 0)) / 2, half = 0.9 * (y(0, 0) - y(1, 0)) / 2 / s;
    y.values = {mean + half, mean - half};
  });
  const auto refined = [&](double rate) {
    const std::unique_ptr<Vectors> right = test::vectors_of(matrix, b), x = matrix.vectors(1);
    slow.apply(*right, *x);
    const Refinement refinement =
        refine(matrix, *right, slow, {.most_sweeps = 20, .rate = rate}, *x);
    return std::pair(refinement, std::abs(own_rows(*x)(0, 0) - 1 - t));
  };
  const auto [early, left] = refined(0);
  EXPECT_GT(left, 10 * early.forward_error) << "what the test is about";
  const auto [late, rest] = refined(0.1);
  EXPECT_GT(late.sweeps, early.sweeps);
  EXPECT_LE(rest, late.forward_error);
  EXPECT_LE(late.forward_error, unit_roundoff);
  // The rate is known only after x was refined.
  const std::unique_ptr<Vectors> right = test::vectors_of(matrix, b), x = matrix.vectors(1);
  slow.apply(*right, *x);
  RefinementSpace space;
  Refinement further = refine(matrix, *right, slow, {.most_sweeps = 20}, *x, space);
  const int sweeps = further.sweeps;
  refine_further(matrix, *right, slow, {.most_sweeps = 20}, *x, space, further);
  EXPECT_EQ(further.sweeps, sweeps) << "nothing says that it is slow";
  refine_further(matrix, *right, slow, {.most_sweeps = 20, .rate = 0.1}, *x, space, further);
  EXPECT_GT(further.sweeps, sweeps);
  EXPECT_EQ(further.history.size(), static_cast<std::size_t>(further.sweeps + 1));
  EXPECT_LE(std::abs(own_rows(*x)(0, 0) - 1 - t), further.forward_error);
  EXPECT_LE(further.forward_error, unit_roundoff);
}

TEST(Refine, ConvergesWithACrudeSolver) {
  Diagonal system;
  const std::unique_ptr<Vectors> x = system.matrix.vectors(1);
  test::OperatorOf crude([](Dense<double>& y) {
    const double inverse[] = {0.9, 0.45, 0.3};
    for (Index i = 0; i < 3; ++i) y(i, 0) *= inverse[i];
  });
  RefinementSpace space;
  space.magnitudes = system.matrix.vectors(1);
  const Refinement refinement =
      refine(system.matrix, *system.b, crude, {.most_sweeps = 60}, *x, space);
  ASSERT_NE(space.magnitudes, nullptr);
  EXPECT_NEAR(own_rows(*space.magnitudes)(2, 0), 2, 1e-15);  // 4 x 0.25 + 1
  EXPECT_LE(refinement.after.backward_error, unit_roundoff);
  EXPECT_NEAR(own_rows(*x)(2, 0), 0.25, 1e-15);
  EXPECT_GT(refinement.sweeps, 5);
}

}  // namespace
}  // namespace spsolve
