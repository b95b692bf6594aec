#include "solve/gmres.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "helpers/reference.hpp"
#include "helpers/systems_in_bands.hpp"
#include "matrix/multivector.hpp"

namespace spsolve {
namespace {

using Function = test::OperatorOf::Function;

Function multiplication_by(const Csr<double>& matrix) {
  return [&matrix](Dense<double>& x) { x = test::multiply(matrix, x); };
}

void leave(Dense<double>&) {}

/// gmres_cycle<double>() and solve_by_gmres() for a team of one.
int cycle(const Function& matrix, const Function& inverse, const std::vector<double>& target,
          int most_steps, Dense<double>& x) {
  SoloTeam team;
  test::OperatorOf a(matrix), m(inverse);
  const std::unique_ptr<Vectors> both = test::vectors_of(team, x);
  const int steps = gmres_cycle<double>(a, m, target, most_steps, *both);
  x = own_rows(*both);
  return steps;
}

GmresOutcome solve(const Function& matrix, const Function& inverse, double norm, Dense<double>& x,
                   const GmresBounds& enough = {}) {
  SoloTeam team;
  test::OperatorOf a(matrix), m(inverse);
  const std::unique_ptr<Vectors> both = test::vectors_of(team, x);
  const GmresOutcome outcome = solve_by_gmres(a, m, norm, *both, enough);
  x = own_rows(*both);
  return outcome;
}

/// diag(1, ..., values) of order n, `values` different numbers on the diagonal.
Csr<double> diagonal(Index n, Index values) {
  Dense<double> dense(n, n);
  for (Index i = 0; i < n; ++i) dense(i, i) = static_cast<double>(1 + i % values);
  return test::sparse(dense);
}

TEST(GmresCycle, TakesAsManyStepsAsThereAreEigenvalues) {
  for (const Index values : {1, 2, 5}) {
    const Csr<double> matrix = diagonal(40, values);
    const Dense<double> b = random_multivector(40, 2, 3);
    Dense<double> x = b;
    const int steps = cycle(multiplication_by(matrix), leave, {1e-12, 1e-12}, 30, x);
    EXPECT_EQ(steps, values);
    for (Index i = 0; i < 40; ++i) EXPECT_NEAR(x(i, 1), b(i, 1) / (1 + i % values), 1e-13);
  }
}

TEST(GmresCycle, WhatALookGetsIsWhatACycleOfSoManyStepsLeaves) {
  const Index n = 40;
  const Csr<double> matrix = test::sparse([&] {
    Dense<double> dense = random_multivector(n, n, 7);
    for (Index i = 0; i < n; ++i) dense(i, i) += 5;
    return dense;
  }());
  const Dense<double> b = random_multivector(n, 2, 3);
  SoloTeam team;
  test::OperatorOf a(multiplication_by(matrix)), m(leave);
  const std::unique_ptr<Vectors> both = test::vectors_of(team, b);
  int looks = 0;
  gmres_cycle<double>(a, m, {1e-13, 1e-13}, 12, *both, [&](const GmresStep& step) {
    ++looks;
    Dense<double> expected = b;
    cycle(multiplication_by(matrix), leave, {1e-13, 1e-13}, looks, expected);
    const Dense<double> correction = own_rows(step.correction());
    const Dense<double> residual = own_rows(step.residual());
    const Dense<double> product = test::multiply(matrix, expected);
    for (Index c = 0; c < 2; ++c) {
      double square = 0;
      for (Index i = 0; i < n; ++i) {
        EXPECT_NEAR(correction(i, c), expected(i, c), 1e-13);
        EXPECT_NEAR(residual(i, c), b(i, c) - product(i, c), 1e-12);
        square += residual(i, c) * residual(i, c);
      }
      EXPECT_NEAR(step.norms[c], std::sqrt(square), 1e-12);
    }
    return looks == 9;
  });
  EXPECT_EQ(looks, 9);
  Dense<double> last = b;
  cycle(multiplication_by(matrix), leave, {1e-13, 1e-13}, 9, last);
  for (Index i = 0; i < n; ++i) EXPECT_NEAR(own_rows(*both)(i, 1), last(i, 1), 1e-13);
}

TEST(GmresCycle, ColumnsThatAreDoneStandStill) {
  const Csr<double> matrix = diagonal(30, 6);
  const Dense<double> b = random_multivector(30, 3, 3);
  Dense<double> together = b;
  const double never = INFINITY;
  cycle(multiplication_by(matrix), leave, {1e-12, never, 0.1}, 30, together);
  Dense<double> alone(30, 1);
  for (Index i = 0; i < 30; ++i) alone(i, 0) = b(i, 2);
  cycle(multiplication_by(matrix), leave, {0.1}, 30, alone);
  for (Index i = 0; i < 30; ++i) {
    EXPECT_NEAR(together(i, 0), b(i, 0) / (1 + i % 6), 1e-13);
    EXPECT_EQ(together(i, 1), 0);
    EXPECT_NEAR(together(i, 2), alone(i, 0), 1e-15);
  }
}

TEST(SolveByGmres, NeedsFewStepsWithAGoodPreconditioner) {
  const Index n = 60;
  Dense<double> dense = random_multivector(n, n, 7);
  const Csr<double> matrix = test::sparse(dense);
  const Dense<double> b = random_multivector(n, 9, 8);
  // The inverse by LAPACK, rounded to float.
  const Function precondition = [&](Dense<double>& x) {
    x = test::lapack_solve(matrix, x);
    for (double& value : x.values) value = static_cast<float>(value);
  };
  Dense<double> x = b;
  const GmresOutcome outcome =
      solve(multiplication_by(matrix), precondition, static_cast<double>(n), x);
  EXPECT_TRUE(outcome.converged);
  EXPECT_LE(outcome.steps, 8);
  EXPECT_GE(outcome.steps, 2);
  EXPECT_LE(test::backward_error(matrix, b, x), 2 * attainable_error(n));
}

TEST(SolveByGmres, StopsWhereResidualsAreSmallEnough) {
  const Index n = 60;
  const Csr<double> matrix = diagonal(n, 20);
  const Dense<double> b = random_multivector(n, 9, 8);
  int before = 0;
  for (const double enough : {0.5, 1e-2, 1e-4, 0.0}) {
    Dense<double> x = b;
    const GmresOutcome outcome = solve(multiplication_by(matrix), leave, 20, x, {.part = enough});
    EXPECT_TRUE(outcome.converged);
    EXPECT_GT(outcome.steps, before);
    before = outcome.steps;
    if (enough == 0) continue;
    const Dense<double> product = test::multiply(matrix, x);
    for (Index c = 0; c < b.columns; ++c) {
      double left = 0, all = 0;
      for (Index i = 0; i < n; ++i) {
        left += std::pow(b(i, c) - product(i, c), 2);
        all += std::pow(b(i, c), 2);
      }
      EXPECT_LE(std::sqrt(left), 1.0001 * enough * std::sqrt(all));
    }
  }
}

TEST(SolveByGmres, TakesNoMoreStepsThanItMay) {
  const Csr<double> matrix = diagonal(40, 12);
  for (const int most : {1, 5, 30}) {
    Dense<double> x = random_multivector(40, 2, 3);
    const GmresOutcome outcome =
        solve(multiplication_by(matrix), leave, 12, x, {.most_steps = most});
    EXPECT_EQ(outcome.converged, most > 12);
    EXPECT_LE(outcome.steps, most);
    EXPECT_EQ(outcome.steps == most, most < 12);
  }
}

TEST(SolveByGmres, GivesUpWithoutOne) {
  const Index n = 200;
  Dense<double> dense(n, n);
  for (Index i = 0; i < n; ++i) dense(i, i) = std::pow(10.0, -10.0 * static_cast<double>(i) / n);
  const Csr<double> matrix = test::sparse(dense);
  Dense<double> x = test::multiply(matrix, random_multivector(n, 1, 8));
  int products = 0;
  const Function counted = [&](Dense<double>& y) {
    ++products;
    y = test::multiply(matrix, y);
  };
  const GmresOutcome outcome = solve(counted, leave, 1.0, x);
  EXPECT_FALSE(outcome.converged);
  EXPECT_GT(outcome.backward_error, attainable_error(n));
  EXPECT_LE(products, 400);
  for (const double value : x.values) EXPECT_TRUE(std::isfinite(value));
}

TEST(SolveByGmres, StopsAtNumbersThatAreNotFinite) {
  for (const double bad : {static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    const Csr<double> matrix = diagonal(10, 3);
    Dense<double> x(10, 2, 1.0);
    const Function precondition = [bad](Dense<double>& y) { y(3, 0) = bad; };
    const GmresOutcome outcome = solve(multiplication_by(matrix), precondition, 3, x);
    EXPECT_FALSE(outcome.converged);
  }
}

TEST(SolveByGmres, AZeroRightHandSide) {
  const Csr<double> matrix = diagonal(10, 3);
  Dense<double> x(10, 2);
  const GmresOutcome outcome = solve(multiplication_by(matrix), leave, 3, x);
  EXPECT_TRUE(outcome.converged);
  EXPECT_EQ(outcome.steps, 0);
  EXPECT_EQ(x.values, Dense<double>(10, 2).values);
}

}  // namespace
}  // namespace spsolve
