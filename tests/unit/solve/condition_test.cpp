#include "solve/trust/condition.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "helpers/reference.hpp"
#include "helpers/systems_in_bands.hpp"
#include "matrix/multivector.hpp"
#include "matrix/structure.hpp"
#include "solve/trust/one_norm.hpp"

namespace spsolve {
namespace {

test::OperatorOf::Function product_with(const Csr<double>& matrix) {
  return [matrix](Dense<double>& x) { x = test::multiply(matrix, x); };
}

std::vector<double> estimates(const Dense<double>& a, const Dense<double>& weights,
                              const OneNormSetting& setting = {}) {
  const Csr<double> matrix = test::sparse(a);
  SoloTeam team;
  test::OperatorOf product(product_with(matrix), product_with(transpose(matrix)));
  return estimate_one_norms(test::vectors_of(team, weights), product, setting);
}

double exact_norm(const Dense<double>& a, const Dense<double>& weights, Index column) {
  double largest = 0;
  for (Index j = 0; j < a.columns; ++j) {
    double sum = 0;
    for (Index i = 0; i < a.rows; ++i) sum += weights(i, column) * std::abs(a(i, j));
    largest = std::max(largest, sum);
  }
  return largest;
}

TEST(EstimateOneNorms, ExactForSmallOrders) {
  Dense<double> one(1, 1, -3.0);
  EXPECT_EQ(estimates(one, Dense<double>(1, 1, 2.0))[0], 6);
  Dense<double> two(2, 2);
  two.values = {1, -5, 2, 0.5};
  EXPECT_DOUBLE_EQ(estimates(two, Dense<double>(2, 1, 1.0))[0], 5.5);
  EXPECT_EQ(estimates(Dense<double>(0, 0), Dense<double>(0, 2)).size(), 2u);
}

TEST(EstimateOneNorms, ExactForMatricesWithoutNegativeEntries) {
  // The gradient of the norm is then the vector of column sums itself.
  Dense<double> a = random_multivector(40, 40, 3);
  for (double& value : a.values) value = std::abs(value);
  const Dense<double> ones(40, 1, 1.0);
  EXPECT_DOUBLE_EQ(estimates(a, ones)[0], exact_norm(a, ones, 0));
}

TEST(EstimateOneNorms, LowerBoundsWithinAFactorOfThree) {
  for (const Index n : {3, 10, 33, 90}) {
    for (Index seed = 1; seed <= 5; ++seed) {
      const Dense<double> a = random_multivector(n, n, seed);
      Dense<double> weights(n, 3, 1.0);
      for (Index i = 0; i < n; ++i) {
        weights(i, 1) = std::pow(10.0, -static_cast<double>(i % 7));
        weights(i, 2) = i == n / 2 ? 1 : 0;
      }
      const std::vector<double> found = estimates(a, weights);
      for (Index c = 0; c < 3; ++c) {
        const double exact = exact_norm(a, weights, c);
        EXPECT_LE(found[c], exact * (1 + 1e-13)) << n << " column " << c;
        EXPECT_GE(found[c], exact / 3) << n << " column " << c;
      }
    }
  }
}

TEST(EstimateOneNorms, TakesAFactorOnBothSidesAndOnesThatNobodyHandsIn) {
  const Index n = 50;
  const Dense<double> a = random_multivector(n, n, 4);
  Dense<double> column(n, 1), both(n, 2, 1.0);
  for (Index i = 0; i < n; ++i) column(i, 0) = both(i, 1) = 1.0 / static_cast<double>(i + 1);
  const std::vector<double> known = estimates(a, both);
  EXPECT_EQ(estimates(a, column, {.with_ones = true}), known);
  const std::vector<double> larger = estimates(a, column, {.factor = 0x1p40, .with_ones = true});
  ASSERT_EQ(larger.size(), 2u);
  for (std::size_t c = 0; c < 2; ++c) EXPECT_EQ(larger[c], 0x1p80 * known[c]);
  EXPECT_EQ(estimates(Dense<double>(0, 0), Dense<double>(0, 1), {.with_ones = true}).size(), 2u);
}

TEST(EstimateOneNorms, WhatIsNotFiniteIsInfinite) {
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double bad : {infinite, static_cast<double>(NAN)}) {
    SoloTeam team;
    test::OperatorOf spoil([&](Dense<double>& x) { x(1, 0) = bad; });
    const auto norms = estimate_one_norms(test::vectors_of(team, {3, 1, 1.0}), spoil);
    EXPECT_EQ(norms[0], infinite);
  }
}

/// The condition of a system of a team of one, `solve` with A and with A^T.
Condition condition_of(const Dense<double>& a, const Dense<double>& b, const Dense<double>& x,
                       const test::OperatorOf::Function& solve) {
  SoloTeam team;
  SystemMatrix matrix = test::matrix_in_bands(team, test::sparse(a));
  test::OperatorOf inverse(solve);
  return estimate_condition(matrix, *test::vectors_of(matrix, b), *test::vectors_of(matrix, x),
                            inverse);
}

TEST(Condition, IsTheSameWithMagnitudesThatAResidualFound) {
  const Index n = 30;
  SoloTeam team;
  for (const double scale : {1.0, 1e-80, 1e80, 1e-280, 1e280}) {
    Dense<double> dense = random_multivector(n, n, 4);
    for (double& value : dense.values) value *= scale;
    const Csr<double> matrix = test::sparse(dense), transposed = transpose(matrix);
    SystemMatrix system = test::matrix_in_bands(team, matrix);
    test::OperatorOf inverse([&](Dense<double>& y) { y = test::lapack_solve(matrix, y); },
                             [&](Dense<double>& y) { y = test::lapack_solve(transposed, y); });
    Dense<double> x = random_multivector(n, 3, 5);
    for (const bool has_zeros : {false, true}) {
      for (Index i = 0; has_zeros && i < n; ++i) x(i, 1) = 0;
      const auto solution = test::vectors_of(system, x),
                 right = test::vectors_of(system, test::multiply(matrix, x)),
                 residual = system.vectors(3);
      auto magnitudes = system.vectors(3);
      system.residual(*right, *solution, *residual, magnitudes.get());
      const Condition with =
          estimate_condition(system, *right, *solution, inverse, std::move(magnitudes));
      const Condition without = estimate_condition(system, *right, *solution, inverse);
      EXPECT_EQ(with.normwise, without.normwise);
      EXPECT_NEAR(with.componentwise / without.componentwise, 1, 1e-12) << scale;
    }
  }
}

/// diag(d) with b and x such that the condition is known.
Condition condition_of_diagonal(const std::vector<double>& d) {
  const Index n = static_cast<Index>(d.size());
  Dense<double> dense(n, n), x(n, 1, 1.0), b(n, 1);
  for (Index i = 0; i < n; ++i) dense(i, i) = b(i, 0) = d[i];
  return condition_of(dense, b, x, [&](Dense<double>& y) {
    for (Index i = 0; i < n; ++i) {
      for (Index c = 0; c < y.columns; ++c) y(i, c) /= d[i];
    }
  });
}

TEST(Condition, OfADiagonalMatrix) {
  const Condition condition = condition_of_diagonal({1, -4, 0.25, 1000});
  EXPECT_DOUBLE_EQ(condition.normwise, 4000);
  EXPECT_DOUBLE_EQ(condition.reciprocal(), 1.0 / 4000);
  // |A^-1| (|A| |x| + |b|) = 2 in every row: the scale of the rows does not count.
  EXPECT_DOUBLE_EQ(condition.componentwise, 2);
}

TEST(Condition, OfAnyBoundsThatOfEveryRightHandSide) {
  const Index n = 40;
  const Csr<double> matrix = test::sparse(random_multivector(n, n, 3));
  const Csr<double> transposed = transpose(matrix);
  SoloTeam team;
  SystemMatrix system = test::matrix_in_bands(team, matrix);
  test::OperatorOf inverse([&](Dense<double>& y) { y = test::lapack_solve(matrix, y); },
                           [&](Dense<double>& y) { y = test::lapack_solve(transposed, y); });
  const double bound = condition_of_any(system, inverse);
  for (Index seed = 0; seed < 5; ++seed) {
    const Dense<double> x = random_multivector(n, 1, seed), b = test::multiply(matrix, x);
    const Condition own = estimate_condition(system, *test::vectors_of(system, b),
                                             *test::vectors_of(system, x), inverse);
    EXPECT_LE(own.componentwise, bound * (1 + 1e-12));
    EXPECT_GE(own.componentwise, 1);
    EXPECT_FALSE(own.for_any_x);
  }
  // A diagonal matrix has 2 |A^-1| |A| = 2 in every row, whatever its scale.
  for (const double scale : {1.0, 1e300, 1e-300}) {
    Dense<double> dense(3, 3);
    dense(0, 0) = scale, dense(1, 1) = -scale, dense(2, 2) = scale * 1e3;
    SystemMatrix diagonal = test::matrix_in_bands(team, test::sparse(dense));
    test::OperatorOf divide([&](Dense<double>& y) {
      for (Index i = 0; i < 3; ++i) {
        for (Index c = 0; c < y.columns; ++c) y(i, c) /= dense(i, i);
      }
    });
    EXPECT_NEAR(condition_of_any(diagonal, divide), 2, 1e-12);
  }
}

TEST(Condition, DoesNotDependOnTheScale) {
  for (const double scale : {1e308, 1e-308, 3e-320, -7.0, 0x1p-1000}) {
    SCOPED_TRACE(scale);
    const Condition condition = condition_of_diagonal({scale, scale, -scale});
    EXPECT_NEAR(condition.normwise, 1, 1e-12);
    EXPECT_NEAR(condition.componentwise, 2, 1e-12);
  }
}

TEST(Condition, ByComponentsDoesNotDependOnTheScaleOfRows) {
  for (const std::vector<double>& d : {std::vector{1e200, 1e-200},
                                       {1e-300, 1.0, -1e300},
                                       {1e308, 1e-280},
                                       {1e-307, 3.0},
                                       {1e307, -3.0, 1e3}}) {
    SCOPED_TRACE(d.front());
    EXPECT_NEAR(condition_of_diagonal(d).componentwise, 2, 1e-12);
  }
  EXPECT_TRUE(std::isinf(condition_of_diagonal({1e200, 1e-200}).normwise));
  EXPECT_NEAR(condition_of_diagonal({1e100, 1e-100}).normwise / 1e200, 1, 1e-12);
}

TEST(Condition, RowSumsMayOverflow) {
  // H = [1 1; 1 -1], H^-1 = H / 2: ||H|| ||H^-1|| = 2, and |H^-1| (|H| |x| + |b|) = 2 for x = e.
  const double scale = 1.5e308;
  Dense<double> dense(2, 2), x(2, 1), b(2, 1);
  dense.values = {scale, scale, scale, -scale};
  x(0, 0) = x(1, 0) = 0.5;
  b(0, 0) = scale;
  const Condition condition = condition_of(dense, b, x, [&](Dense<double>& y) {
    for (Index c = 0; c < y.columns; ++c) {
      const double first = y(0, c) / scale, second = y(1, c) / scale;
      y(0, c) = (first + second) / 2;
      y(1, c) = (first - second) / 2;
    }
  });
  EXPECT_DOUBLE_EQ(condition.normwise, 2);
  EXPECT_DOUBLE_EQ(condition.componentwise, 3);  // |H| |x| + |b| = (2, 1), over ||x|| = 1/2
}

}  // namespace
}  // namespace spsolve
