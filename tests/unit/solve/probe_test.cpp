#include "solve/trust/probe.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "helpers/reference.hpp"
#include "helpers/systems_in_bands.hpp"

namespace spsolve {
namespace {

/// Solves with a factor M of A other than A^-1 itself, as round-off makes it.
Probe probe_of(const Dense<double>& a, const Dense<double>& inverse, int least_steps = 1) {
  SoloTeam team;
  const Csr<double> of_inverse = test::sparse(inverse);
  SystemMatrix matrix = test::matrix_in_bands(team, test::sparse(a));
  test::OperatorOf solves([&](Dense<double>& x) { x = test::multiply(of_inverse, x); });
  return probe_known_solution(matrix, solves, {.least_steps = least_steps});
}

Dense<double> two_by_two(double a, double b, double c, double d) {
  Dense<double> matrix(2, 2);
  matrix.values = {a, b, c, d};
  return matrix;
}

TEST(Probe, FindsTheSolutionOfARegularMatrix) {
  const Probe exact = probe_of(two_by_two(2, 1, 1, 1), two_by_two(1, -1, -1, 2));
  EXPECT_TRUE(exact.found());
  EXPECT_EQ(exact.steps, 1);
  const Probe crude = probe_of(two_by_two(2, 1, 1, 1), two_by_two(1.01, -1, -1, 2.01));
  EXPECT_TRUE(crude.found());
  EXPECT_GT(crude.steps, 1);
}

TEST(Probe, TakesASecondStepWhereItIsAskedForAndNotAllIsFound) {
  const Dense<double> a = two_by_two(2, 0, 0, 4), inverse = two_by_two(0.5, 0, 0, 0.25),
                      near = two_by_two(0.5 + 1e-8, 0, 0, 0.25 - 1e-8);
  const Probe one = probe_of(a, near), two = probe_of(a, near, 2);
  EXPECT_TRUE(one.found());
  EXPECT_EQ(one.steps, 1);
  EXPECT_FALSE(one.found_all(2));
  EXPECT_EQ(two.steps, 2);
  EXPECT_LT(two.left, 1e-6 * one.left);
  EXPECT_EQ(probe_of(a, inverse, 2).steps, 1);
  EXPECT_TRUE(probe_of(a, inverse, 2).found_all(2));
}

TEST(Probe, FindsNoSolutionOfASingularMatrixWhateverTheFactors) {
  // [1 1; 1 1] with the inverses of nearby matrices [1 1; 1 1 + e].
  for (const double e : {1e-16, 1e-8, 1e-2, 1.0}) {
    const Probe probe =
        probe_of(two_by_two(1, 1, 1, 1), two_by_two(1 + 1 / e, -1 / e, -1 / e, 1 / e));
    EXPECT_FALSE(probe.found()) << e;
    EXPECT_LE(probe.steps, 3) << e;
  }
  EXPECT_FALSE(probe_of(two_by_two(1, 0, 0, 0), two_by_two(1, 0, 0, 1e30)).found());
}

TEST(Probe, DoesNotDependOnTheScale) {
  for (const double r : {1.0, 0x1p300, 0x1p-300}) {
    for (const double c : {1.0, 0x1p200, 0x1p-200}) {
      EXPECT_TRUE(probe_of(two_by_two(2 * r, r * c, 1, c), two_by_two(1 / r, -1, -1 / c / r, 2 / c))
                      .found())
          << r << " " << c;
      EXPECT_FALSE(
          probe_of(two_by_two(r, r * c, 1, c), two_by_two(2 / r, -1, -1 / c / r, 1 / c)).found())
          << r << " " << c;
    }
  }
}

TEST(Probe, WhatIsNotFiniteIsNotFound) {
  const double bad = std::nan("");
  EXPECT_FALSE(probe_of(two_by_two(1, 0, 0, 1), two_by_two(bad, bad, bad, bad)).found());
}

TEST(Probe, TellsWhatIterationsDoNotSeeOfTheNormOfTheInverse) {
  // diag(1, 1e-9), solved with as diag(1, 1): the second unknown is left alone, all of it.
  const Probe probe = probe_of(two_by_two(1, 0, 0, 1e-9), two_by_two(1, 0, 0, 1), 2);
  EXPECT_NEAR(probe.inverse_norm, 1e9, 1);
  EXPECT_FALSE(probe.found());
}

TEST(Probe, LooksForNothingInANullSpaceThatIsKnown) {
  // A Laplacian of two nodes, whose pseudo-inverse is a fourth of it.
  SoloTeam team;
  SystemMatrix matrix = test::matrix_in_bands(team, test::sparse(two_by_two(1, -1, -1, 1)));
  const Csr<double> half = test::sparse(two_by_two(0.25, -0.25, -0.25, 0.25));
  test::OperatorOf solves([&](Dense<double>& x) { x = test::multiply(half, x); });
  const auto project = [](Vectors& x) {
    Dense<double> rows = own_rows(x);
    const double mean = (rows(0, 0) + rows(1, 0)) / 2;
    for (double& value : rows.values) value -= mean;
    x.write_rows({0, 2}, rows.values);
  };
  EXPECT_TRUE(probe_known_solution(matrix, solves, {.project = project}).found());
  const std::unique_ptr<Vectors> rest = matrix.vectors(1);
  EXPECT_FALSE(probe_known_solution(matrix, solves, {.rest = rest.get()}).found());
  const Dense<double> left = own_rows(*rest);  // is a multiple of (1, 1)
  EXPECT_NEAR(left(0, 0), left(1, 0), 1e-14);
  EXPECT_GT(std::abs(left(0, 0)), 1e-3);
}

TEST(Probe, FindsNothingToLookForWithoutUnknowns) {
  EXPECT_TRUE(probe_of(Dense<double>(0, 0), Dense<double>(0, 0)).found());
}

}  // namespace
}  // namespace spsolve
