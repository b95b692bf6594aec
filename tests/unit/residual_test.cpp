#include "eliminate/residual.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "helpers/reference.hpp"
#include "matrix/multivector.hpp"

namespace spsolve {
namespace {

Dense<double> residual_of(const Csr<double>& matrix, const Dense<double>& b,
                          const Dense<double>& x) {
  Dense<double> residual(b.rows, b.columns);
  residual_of_own_rows(matrix, {0, matrix.rows}, b, x, residual);
  return residual;
}

TEST(Residual, KeepsWhatTheRoundingOfAProductLoses) {
  // (1 + e) (1 - e) = 1 - e^2, which double rounds to 1.
  const double e = 0x1p-30;
  Dense<double> matrix(1, 1, 1 + e), x(1, 1, 1 - e), b(1, 1, 1.0);
  EXPECT_EQ(residual_of(test::sparse(matrix), b, x)(0, 0), e * e);
}

TEST(Residual, KeepsWhatTheRoundingOfASumLoses) {
  Dense<double> matrix(1, 4);
  matrix.values = {1e20, 3, -1e20, 0.5};
  EXPECT_EQ(residual_of(test::sparse(matrix), Dense<double>(1, 1), Dense<double>(4, 1, 1.0))(0, 0),
            -3.5);
}

TEST(Residual, OfTheRoundedProductIsItsRoundingError) {
  // Whole numbers whose products and sums fit 64 bits, but not double.
  const Index n = 57;
  Dense<double> matrix(n, n);
  Dense<double> x(n, 3), b(n, 3), expected(n, 3);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j)
      matrix(i, j) = static_cast<double>((i * 7919 + j * 104729) * 9973 % (1 << 28));
    for (Index c = 0; c < 3; ++c)
      x(i, c) = static_cast<double>((i + c) * 15485863 % (1 << 28) - (1 << 27));
  }
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < 3; ++c) {
      std::int64_t sum = 0;
      for (Index j = 0; j < n; ++j) {
        sum += static_cast<std::int64_t>(matrix(i, j)) * static_cast<std::int64_t>(x(j, c));
      }
      b(i, c) = static_cast<double>(sum);
      expected(i, c) = static_cast<double>(static_cast<std::int64_t>(b(i, c)) - sum);
    }
  }
  const Dense<double> residual = residual_of(test::sparse(matrix), b, x);
  EXPECT_EQ(residual.values, expected.values);
  EXPECT_GT(*std::ranges::max_element(expected.values), 0) << "nothing was rounded";
}

TEST(Residual, NormsFollowTheirDefinitions) {
  Dense<double> matrix(2, 2);
  matrix.values = {1, -2, 3, 4};
  Dense<double> x(2, 1), b(2, 1), residual(2, 1);
  x.values = {-1, 5};
  b.values = {1, 20};
  const ResidualNorms norms = residual_of_own_rows(test::sparse(matrix), {0, 2}, b, x, residual);
  EXPECT_EQ(residual(0, 0), 12);
  EXPECT_EQ(residual(1, 0), 3);
  EXPECT_EQ(norms.matrix, 7);
  EXPECT_EQ(norms.residual[0], 12);
  EXPECT_EQ(norms.right_hand_side[0], 20);
  EXPECT_EQ(norms.solution[0], 5);
  EXPECT_DOUBLE_EQ(norms.componentwise, 12.0 / (11 + 1));
}

TEST(Residual, ScalesThatOverflowHideNoError) {
  // x = 0.5 solves 1.5e308 x = b but for a thousandth.
  Dense<double> matrix(1, 2), x(2, 1, 0.5), b(1, 1, 1.5e308), residual(1, 1);
  matrix.values = {1.499e308, 1.499e308};
  const ResidualNorms norms = residual_of_own_rows(test::sparse(matrix), {0, 1}, b, x, residual);
  EXPECT_GT(norms.componentwise, 1e-4);
  EXPECT_LT(norms.componentwise, 1e-2);
}

}  // namespace
}  // namespace spsolve
