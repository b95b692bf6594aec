#include "dense/columnwise/columnwise.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "dense/dense_inverse.hpp"
#include "helpers/reference.hpp"
#include "matrix/multivector.hpp"
#include "solve_in_team.hpp"

namespace spsolve {
namespace {

using test::backward_error;
using test::sparse;

using test::error_of;
using test::Solved;

template <typename T>
Solved eliminate_and_solve(const Csr<double>& matrix, const Dense<double>& b, Method method,
                           Pivoting pivoting, int sweeps = 0) {
  const Precision precision = std::is_same_v<T, float> ? Precision::float32 : Precision::float64;
  return test::solve_in_team(matrix, b, {method, pivoting, precision}, sweeps);
}

struct Case {
  Method method;
  Pivoting pivoting;
};

std::string print(const Case& c) {
  const char* methods[] = {"auto", "gauss", "gauss_jordan"};
  const char* pivotings[] = {"auto", "none", "partial", "complete"};
  return fmt::format("{}_{}", methods[static_cast<int>(c.method)],
                     pivotings[static_cast<int>(c.pivoting)]);
}

class Columnwise : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(All, Columnwise,
                         testing::Values(Case{Method::gauss, Pivoting::none},
                                         Case{Method::gauss, Pivoting::partial},
                                         Case{Method::gauss, Pivoting::complete},
                                         Case{Method::gauss_jordan, Pivoting::none},
                                         Case{Method::gauss_jordan, Pivoting::partial},
                                         Case{Method::gauss_jordan, Pivoting::complete}),
                         [](const auto& tested) { return print(tested.param); });

/// Random entries; for eliminations that do not pivot, a dominant diagonal.
Dense<double> random_system(Index n, Pivoting pivoting, Index seed) {
  Dense<double> dense = random_multivector(n, n, seed);
  if (pivoting == Pivoting::none) {
    for (Index i = 0; i < n; ++i) dense(i, i) += static_cast<double>(n);
  }
  return dense;
}

TEST_P(Columnwise, MatchesLapackInDouble) {
  const auto [method, pivoting] = GetParam();
  for (const Index n : {1, 2, 3, 4, 5, 7, 16, 31, 64, 100, 129, 257, 300}) {
    const Csr<double> matrix = sparse(random_system(n, pivoting, n));
    const Dense<double> b = random_multivector(n, 3, n + 1);
    const Solved solved = eliminate_and_solve<double>(matrix, b, method, pivoting);
    const double lapack = backward_error(matrix, b, test::lapack_solve(matrix, b));
    // Gauss-Jordan's residual may exceed Gauss's by a factor of up to the condition of U.
    const double factor = method == Method::gauss_jordan ? 1e4 : 20;
    EXPECT_LE(backward_error(matrix, b, solved.x), factor * std::max(lapack, unit_roundoff))
        << "n = " << n;
  }
}

TEST_P(Columnwise, OneSweepOfRefinementReachesRoundOff) {
  const auto [method, pivoting] = GetParam();
  for (const Index n : {1, 7, 50, 200}) {
    const Csr<double> matrix = sparse(random_system(n, pivoting, n));
    const Dense<double> b = random_multivector(n, 2, n + 1);
    const Solved solved = eliminate_and_solve<double>(matrix, b, method, pivoting, 3);
    EXPECT_LE(backward_error(matrix, b, solved.x), 4 * unit_roundoff) << "n = " << n;
    EXPECT_LE(solved.refinement.after.componentwise_error, 64 * unit_roundoff) << "n = " << n;
  }
}

TEST_P(Columnwise, FloatIsRefinedToDouble) {
  const auto [method, pivoting] = GetParam();
  for (const Index n : {1, 5, 60, 150}) {
    const Csr<double> matrix = sparse(random_system(n, pivoting, n));
    const Dense<double> b = random_multivector(n, 1, n + 1);
    const Solved plain = eliminate_and_solve<float>(matrix, b, method, pivoting);
    EXPECT_LE(backward_error(matrix, b, plain.x), 2e-3) << "n = " << n;
    const Solved refined = eliminate_and_solve<float>(matrix, b, method, pivoting, 12);
    EXPECT_LE(backward_error(matrix, b, refined.x), 16 * unit_roundoff) << "n = " << n;
  }
}

TEST_P(Columnwise, ReportsItsOwnBackwardErrorTruthfully) {
  const auto [method, pivoting] = GetParam();
  const Csr<double> matrix = sparse(random_system(40, pivoting, 3));
  const Dense<double> b = random_multivector(40, 2, 4);
  const Solved solved = eliminate_and_solve<float>(matrix, b, method, pivoting);
  const double truth = backward_error(matrix, b, solved.x);
  EXPECT_NEAR(solved.refinement.after.backward_error, truth, 0.01 * truth);
}

TEST_P(Columnwise, MoreRanksThanRowsAndNoRowsAtAll) {
  const auto [method, pivoting] = GetParam();
  for (const Index n : {0, 1, 2}) {
    const Csr<double> matrix = sparse(random_system(n, pivoting, 9));
    const Dense<double> b = random_multivector(n, 1, 5);
    const Solved solved = eliminate_and_solve<double>(matrix, b, method, pivoting);
    EXPECT_LE(backward_error(matrix, b, solved.x), 1e-14);
  }
}

TEST_P(Columnwise, SameBitsFromRunToRun) {
  const auto [method, pivoting] = GetParam();
  const Csr<double> matrix = sparse(random_system(90, pivoting, 11));
  const Dense<double> b = random_multivector(90, 2, 12);
  const Solved first = eliminate_and_solve<double>(matrix, b, method, pivoting, 2);
  const Solved second = eliminate_and_solve<double>(matrix, b, method, pivoting, 2);
  EXPECT_EQ(first.x.values, second.x.values);
}

template <typename T>
void expect_carried(Case tested) {
  for (const Index n : {1, 5, 64, 131}) {
    test::HostRanks ranks;
    const Csr<double> dense = sparse(random_system(n, tested.pivoting, n));
    SystemMatrix matrix = test::matrix_in_bands(ranks.team, dense);
    EliminationChoice choice{tested.method, tested.pivoting};
    choice.precision = std::is_same_v<T, float> ? Precision::float32 : Precision::float64;
    const auto inverse = make_dense_inverse(ranks.team, ranks.memory, choice);
    Equilibration scaling;
    inverse->find_scaling(matrix, AutoSwitch::off, choice.precision, scaling);
    inverse->prepare(matrix, scaling);
    const auto b = test::vectors_of(matrix, random_multivector(n, 3, n + 1));
    Progress silent("eliminating", 1, Progress::Show::off);
    const auto x = inverse->eliminate({silent, nullptr, b.get()});
    if (tested.method == Method::gauss) {
      EXPECT_EQ(x, nullptr);
      continue;
    }
    ASSERT_NE(x, nullptr) << "n = " << n;
    // The multipliers that are kept do the same later, step by step.
    const auto later = matrix.vectors(3);
    inverse->apply(*b, *later);
    EXPECT_EQ(test::whole(*x).values, test::whole(*later).values) << "n = " << n;
  }
}

TEST_P(Columnwise, GaussJordanTakesRightHandSidesAlong) {
  expect_carried<double>(GetParam());
  expect_carried<float>(GetParam());
}

TEST_P(Columnwise, NamesTheStepOfASingularMatrix) {
  const Method method = GetParam().method;
  const Pivoting pivoting = GetParam().pivoting;
  // Column 3 is a multiple of column 1: exact in binary, so that the pivot is exactly zero.
  Dense<double> dense(5, 5);
  for (Index i = 0; i < 5; ++i) dense(i, i) = 4;
  dense(2, 2) = 0;
  const std::string text = test::error_on_every_rank(
      [&] { eliminate_and_solve<double>(sparse(dense), Dense<double>(5, 1), method, pivoting); },
      ExitCode::not_trustworthy);
  const char* step = pivoting == Pivoting::complete ? "step 5 of 5" : "step 3 of 5";
  EXPECT_NE(text.find(step), std::string::npos) << text;
}

TEST(ColumnwisePivoting, NeededWhereTheDiagonalIsZero) {
  // The rotated rows of losmoc: every step has to pivot.
  const Index n = 50;
  Dense<double> dense(n, n);
  for (Index i = 0; i < n; ++i) {
    dense(i, (i + n - 1) % n) = 4;
    if (i > 1) dense(i, i - 2) = -1;
  }
  const Csr<double> matrix = sparse(dense);
  const Dense<double> ones(n, 1, 1.0);
  const Dense<double> b = test::multiply(matrix, ones);
  for (const Method method : {Method::gauss, Method::gauss_jordan}) {
    for (const Pivoting pivoting : {Pivoting::partial, Pivoting::complete}) {
      const Solved solved = eliminate_and_solve<double>(matrix, b, method, pivoting);
      for (Index i = 0; i < n; ++i) EXPECT_NEAR(solved.x(i, 0), 1.0, 1e-12);
    }
    const std::string text = test::error_on_every_rank(
        [&] { eliminate_and_solve<double>(matrix, b, method, Pivoting::none); },
        ExitCode::not_trustworthy);
    EXPECT_NE(text.find("solve.pivoting=partial"), std::string::npos) << text;
  }
}

TEST(ColumnwisePivoting, GrowthOfTheWorstCase) {
  // Wilkinson's matrix: partial pivoting lets entries grow to 2^(n - 1), complete pivoting does
  // not.
  const Index n = 40;
  Dense<double> dense(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j) dense(i, j) = -1;
    dense(i, i) = 1;
    dense(i, n - 1) = 1;
  }
  const Dense<double> b(n, 1, 1.0);
  for (const Method method : {Method::gauss, Method::gauss_jordan}) {
    const Solved partial = eliminate_and_solve<double>(sparse(dense), b, method, Pivoting::partial);
    EXPECT_DOUBLE_EQ(partial.pivots.growth, std::ldexp(1.0, n - 1));
    const Solved complete =
        eliminate_and_solve<double>(sparse(dense), b, method, Pivoting::complete);
    EXPECT_LE(complete.pivots.growth, 4.0);
    EXPECT_LE(backward_error(sparse(dense), b, complete.x), 1e-14);
  }
}

TEST(ColumnwisePivoting, OverflowIsNamed) {
  Dense<double> dense(2, 2);
  dense(0, 0) = 1e-300;
  dense(0, 1) = 1e300;
  dense(1, 0) = 1e300;
  dense(1, 1) = 1;
  const std::string text = test::error_on_every_rank(
      [&] {
        eliminate_and_solve<double>(sparse(dense), Dense<double>(2, 1), Method::gauss,
                                    Pivoting::none);
      },
      ExitCode::not_trustworthy);
  EXPECT_NE(text.find("not a finite number"), std::string::npos) << text;
}

TEST(ColumnwisePivoting, BadlyScaledRows) {
  const Index n = 60;
  Dense<double> dense = random_multivector(n, n, 77);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) dense(i, j) *= std::pow(10.0, static_cast<double>(i % 31) - 15);
  }
  const Csr<double> matrix = sparse(dense);
  const Dense<double> b = test::multiply(matrix, Dense<double>(n, 1, 1.0));
  const Solved solved =
      eliminate_and_solve<double>(matrix, b, Method::gauss_jordan, Pivoting::partial, 3);
  EXPECT_LE(backward_error(matrix, b, solved.x), 1e-15);
  EXPECT_LE(solved.refinement.after.componentwise_error, 1e-13);
}

}  // namespace
}  // namespace spsolve
