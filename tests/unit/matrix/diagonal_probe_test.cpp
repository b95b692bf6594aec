#include "matrix/facts/diagonal_probe.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "helpers/reference.hpp"
#include "helpers/threads.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"

namespace spsolve {
namespace {

constexpr double never = 2;  // is too slow

TEST(DiagonalProbe, IsDoneAfterAsManyStepsAsThereAreEigenvalues) {
  // D^-1 A has the eigenvalues 1 - t and 1 + t for rows [1 t; t 1], and 1 for a diagonal.
  Dense<double> pairs(40, 40), diagonal(40, 40);
  for (Index i = 0; i < 40; ++i) {
    pairs(i, i) = diagonal(i, i) = 1 + static_cast<double>(i / 2);
    pairs(i, i ^ 1) = 0.3 * pairs(i, i);
  }
  const DiagonalProbe one = probe_diagonal(test::sparse(diagonal), 8, never);
  EXPECT_EQ(one.steps, 1);
  EXPECT_LE(one.residual, 1e-14);
  const DiagonalProbe two = probe_diagonal(test::sparse(pairs), 8, never);
  EXPECT_EQ(two.steps, 2);
  EXPECT_LE(two.residual, 1e-14);
}

TEST(DiagonalProbe, ResidualsAreThoseOfTheChebyshevBoundOrLess) {
  // Rows as dominant as these: |lambda - 1| <= 8 / 9 for the eigenvalues of D^-1 A.
  const Csr<double> cage = generate_matrix("cage:1500");
  double before = 1;
  for (int steps = 1; steps <= 8; ++steps) {
    const DiagonalProbe probe = probe_diagonal(cage, steps, never);
    EXPECT_EQ(probe.steps, steps);
    EXPECT_LT(probe.residual, before);
    EXPECT_NEAR(std::pow(probe.rate(), steps), probe.residual, 1e-12);
    before = probe.residual;
  }
  EXPECT_LT(before, std::pow(8.0 / 9, 8));
}

TEST(DiagonalProbe, DoesNotDependOnTheScaleOfRows) {
  Csr<double> matrix = generate_matrix("convdiff3d:8");
  const double residual = probe_diagonal(matrix, 8, never).residual;
  for (Index i = 0; i < matrix.rows; ++i) {
    for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      matrix.values[k] *= std::ldexp(i % 2 == 0 ? 1 : -1, static_cast<int>(i % 200) - 100);
    }
  }
  EXPECT_EQ(probe_diagonal(matrix, 8, never).residual, residual);
}

TEST(DiagonalProbe, GivesUpEarlyWhereThatIsSlow) {
  const Csr<double> slow = generate_matrix("tridiagonal:900");
  EXPECT_EQ(probe_diagonal(slow, 8, 0.3).steps, 3);
  EXPECT_EQ(probe_diagonal(slow, 8, never).steps, 8);
}

TEST(DiagonalProbe, TakesNoStepWithoutADiagonal) {
  for (const double value :
       {0.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    Csr<double> matrix = generate_matrix("tridiagonal:9");
    matrix.values[0] = value;
    const DiagonalProbe probe = probe_diagonal(matrix, 8, never);
    EXPECT_EQ(probe.rate(), 1) << value;
  }
  EXPECT_EQ(probe_diagonal(generate_matrix("kkt:60"), 8, never).steps, 0);
  EXPECT_EQ(probe_diagonal(Csr<double>{}, 8, never).rate(), 1);
}

TEST(DiagonalProbe, HasTheSameBitsForAnyNumberOfThreads) {
  const Csr<double> matrix = generate_matrix("grid3d:9");
  test::Threads lent(1);
  const double alone = probe_diagonal(matrix, 8, never).residual;
  lent.set(3);
  EXPECT_EQ(probe_diagonal(matrix, 8, never).residual, alone);
}

}  // namespace
}  // namespace spsolve
