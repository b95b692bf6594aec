#include <cmath>

#include <gtest/gtest.h>

#include "dense/mixed_inverse.hpp"
#include "helpers/reference.hpp"
#include "helpers/systems.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/multivector.hpp"
#include "solve/gmres.hpp"
#include "solve_in_team.hpp"

namespace spsolve {
namespace {

using test::backward_error;
using test::solve_in_team;
using test::Solved;
using test::sparse;
using test::with_condition;

EliminationChoice mixed(Method method = Method::lu, Index block = 16) {
  return {method, method == Method::lu ? Pivoting::tournament : Pivoting::partial, Precision::mixed,
          block};
}

TEST(Mixed, ReachesDoubleWithFloatFactors) {
  for (const Index n : {1, 2, 9, 64, 150}) {
    const Csr<double> matrix = sparse(random_multivector(n, n, 8 + n));
    for (const Index columns : {1, 3, 11}) {
      const Dense<double> b = random_multivector(n, columns, 9);
      const Solved solved = solve_in_team(matrix, b, mixed(Method::lu, std::min<Index>(16, n)));
      ASSERT_TRUE(solved.mixed);
      EXPECT_FALSE(solved.mixed->fell_back) << n;
      EXPECT_LE(backward_error(matrix, b, solved.x), attainable_error(n)) << n;
      EXPECT_TRUE(solved.notes.empty());
    }
  }
}

TEST(Mixed, ConvergesWhereRefinementByFloatFactorsDoesNot) {
  const Index n = 120;
  for (const double condition : {1e4, 1e6, 1e8, 1e9}) {
    const Csr<double> matrix = with_condition(n, condition, 3);
    const Dense<double> b = test::multiply(matrix, random_multivector(n, 2, 5));
    const Solved solved = solve_in_team(matrix, b, mixed());
    ASSERT_TRUE(solved.mixed);
    EXPECT_FALSE(solved.mixed->fell_back) << condition;
    EXPECT_LE(backward_error(matrix, b, solved.x), attainable_error(n)) << condition;
  }
}

/// The largest ||x - truth|| / ||x|| of the columns.
double largest_error(const Dense<double>& x, const Dense<double>& truth) {
  double error = 0;
  for (Index c = 0; c < x.columns; ++c) {
    double difference = 0, size = 0;
    for (Index i = 0; i < x.rows; ++i) {
      difference = std::max(difference, std::abs(x(i, c) - truth(i, c)));
      size = std::max(size, std::abs(x(i, c)));
    }
    error = std::max(error, difference / size);
  }
  return error;
}

/// A system of two right-hand sides with such a condition, and its solution by long refinement.
struct Refined {
  Csr<double> matrix;
  Dense<double> b, x;

  explicit Refined(double condition) : matrix(with_condition(120, condition, 3)) {
    b = test::multiply(matrix, random_multivector(matrix.rows, 2, 5));
    const Solved truth =
        solve_in_team(matrix, b, {Method::lu, Pivoting::tournament, Precision::float64, 16}, 20);
    EXPECT_EQ(truth.refinement.forward_error, unit_roundoff);
    x = truth.x;
  }
};

/// The outcome by lu, unscaled.
struct Outcome {
  bool near;
  SolveOutcome of;
  double error;
};
Outcome solve_with_estimates(const Refined& system, Precision precision, bool condition = true) {
  test::HostRanks ranks;
  SolverOptions options;
  options.method = Method::lu;
  options.precision = precision;
  options.equilibrate = AutoSwitch::off;
  options.condition = condition;
  SystemSolver solver = test::solver_in_team(ranks, system.matrix, options);
  solver.set_up();
  const auto right = test::vectors_of(solver.matrix(), system.b), x = solver.matrix().vectors(2);
  PhaseTimes times;
  SolveOutcome outcome = solver.solve(*right, *x, times);
  return {solver.facts().probe.has_value(), std::move(outcome),
          largest_error(test::whole(*x), system.x)};
}

TEST(Mixed, TellsWhatCorrectionsLeave) {
  int near = 0;
  for (const double condition : {1e4, 1e7, 1e10}) {
    const Refined system(condition);
    for (const bool estimates : {true, false}) {
      const Outcome outcome = solve_with_estimates(system, Precision::mixed, estimates);
      near += outcome.near ? 1 : 0;
      EXPECT_LE(outcome.error, 2 * outcome.of.refinement.forward_error + 2 * unit_roundoff)
          << condition;
      EXPECT_LE(outcome.error, 1e-12) << condition;
      if (condition > 1e5 && !outcome.near) continue;
      EXPECT_EQ(outcome.of.trust.verdict, Verdict::solved) << condition;
      EXPECT_LE(outcome.of.trust.estimate, 1e-14) << condition;
    }
  }
  EXPECT_GE(near, 2) << "corrections were by GMRES";
  EXPECT_LT(near, 6) << "all were by the factors";
}

TEST(Mixed, NearFactorsTellConditionsThatFloatCouldNotTellFromSingular) {
  constexpr double told_by_any = 1.7e6;
  for (const Precision precision : {Precision::float32, Precision::mixed}) {
    int beyond = 0;
    for (const double condition : {1e5, 1e6, 3e6, 1e7, 3e7, 1e8, 1e11}) {
      const Outcome outcome = solve_with_estimates(Refined(condition), precision);
      const bool solved = outcome.of.trust.verdict == Verdict::solved;
      EXPECT_FALSE(solved && precision == Precision::float32 && condition > 1e10);
      if (!solved) continue;
      ASSERT_TRUE(outcome.of.condition);
      beyond += outcome.of.condition->componentwise >= told_by_any ? 1 : 0;
      EXPECT_LE(outcome.error, 2 * outcome.of.trust.estimate + 2 * unit_roundoff) << condition;
      EXPECT_LE(outcome.error, outcome.of.trust.bound) << condition;
    }
    EXPECT_GE(beyond, 1) << name(precision);
  }
}

TEST(Float, NearFactorsSolveToDoubleAtOnceWhereXIsRefined) {
  int near = 0, far = 0;
  for (const double condition : {1e4, 1e7, 1e10}) {
    const Outcome outcome = solve_with_estimates(Refined(condition), Precision::float32);
    const double before = outcome.of.refinement.before.backward_error;
    (outcome.near ? near : far) += 1;
    EXPECT_EQ(before <= attainable_error(120), outcome.near) << condition;
    EXPECT_TRUE(!outcome.near || outcome.of.refinement.sweeps <= 2) << condition;
  }
  EXPECT_GE(near, 1);
  EXPECT_GE(far, 1);
}

TEST(Float, ASingularMatrixIsEliminatedOnce) {
  Dense<double> dense(2, 2, 1.0);
  dense(1, 1) = 1 + 1e-9;
  EliminationChoice choice{Method::lu, Pivoting::tournament, Precision::float32, 1};
  choice.refined = true;
  const std::string text = test::error_on_every_rank(
      [&] { solve_in_team(sparse(dense), Dense<double>(2, 1, 1.0), choice); },
      ExitCode::not_trustworthy);
  EXPECT_NE(text.find("singular: at step 2 of 2"), std::string::npos) << text;
}

TEST(Mixed, FallsBackToDoubleAndSaysWhy) {
  const Index n = 120;
  const Csr<double> matrix = with_condition(n, 1e14, 4);
  const Dense<double> b = test::multiply(matrix, random_multivector(n, 2, 5));
  const Solved solved = solve_in_team(matrix, b, mixed());
  ASSERT_TRUE(solved.mixed);
  EXPECT_TRUE(solved.mixed->fell_back);
  EXPECT_LE(backward_error(matrix, b, solved.x), attainable_error(n));
  ASSERT_EQ(solved.notes.size(), 1u);
  EXPECT_NE(solved.notes[0].find("eliminated in double after all"), std::string::npos);
  EXPECT_NE(solved.notes[0].find("too ill-conditioned for float"), std::string::npos);
}

TEST(Mixed, FallsBackWhereFloatFindsNoPivot) {
  // In float the two rows are the same.
  Dense<double> dense(2, 2, 1.0);
  dense(1, 1) = 1 + 1e-9;
  const Csr<double> matrix = sparse(dense);
  const Dense<double> b = random_multivector(2, 1, 5);
  const Solved solved = solve_in_team(matrix, b, mixed(Method::lu, 1));
  ASSERT_TRUE(solved.mixed);
  EXPECT_TRUE(solved.mixed->fell_back);
  EXPECT_LE(backward_error(matrix, b, solved.x), attainable_error(2));
  ASSERT_EQ(solved.notes.size(), 1u);
  EXPECT_NE(solved.notes[0].find("the elimination in float failed"), std::string::npos);
  EXPECT_NE(solved.notes[0].find("singular"), std::string::npos);
}

TEST(Mixed, ASingularMatrixIsNamedByDouble) {
  Dense<double> dense(30, 30);
  for (Index i = 0; i < 30; ++i) dense(i, i) = i == 11 ? 0 : 2;
  const std::string text = test::error_on_every_rank(
      [&] { solve_in_team(sparse(dense), Dense<double>(30, 1, 1.0), mixed()); },
      ExitCode::not_trustworthy);
  EXPECT_NE(text.find("singular: at step 12 of 30"), std::string::npos) << text;
}

TEST(Mixed, EveryMethod) {
  const Index n = 60;
  const Csr<double> matrix = with_condition(n, 1e5, 6);
  const Dense<double> b = test::multiply(matrix, random_multivector(n, 2, 5));
  for (const Method method : {Method::lu, Method::gauss, Method::gauss_jordan}) {
    const Solved solved = solve_in_team(matrix, b, mixed(method));
    EXPECT_FALSE(solved.mixed->fell_back);
    EXPECT_LE(backward_error(matrix, b, solved.x), attainable_error(n));
  }
}

TEST(Mixed, EquilibratedSystems) {
  // Entries far outside of the range of float.
  const Index n = 80;
  Csr<double> matrix = sparse(random_multivector(n, n, 12));
  for (Index i = 0; i < n; ++i) {
    for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      matrix.values[k] *= std::ldexp(1.0, static_cast<int>(i) * 5 - 200) *
                          std::ldexp(1.0, -static_cast<int>(matrix.column_indices[k] % 7));
    }
  }
  const Dense<double> b = test::multiply(matrix, random_multivector(n, 2, 5));
  const Solved solved = solve_in_team(matrix, b, mixed(), 4, AutoSwitch::automatic);
  EXPECT_FALSE(solved.mixed->fell_back);
  EXPECT_LE(solved.refinement.after.backward_error, 4 * unit_roundoff);
  EXPECT_LE(solved.refinement.after.componentwise_error, 4 * unit_roundoff);
}

TEST(Mixed, SolvesWithTheTransposeToDouble) {
  const Index n = 100;
  const Csr<double> matrix = with_condition(n, 1e7, 7);
  const auto system = test::eliminate_in_team(matrix, mixed());
  EXPECT_FALSE(system->facts().mixed->fell_back);
  Dense<double> transposed(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      transposed(matrix.column_indices[k], i) = matrix.values[k];
    }
  }
  const Csr<double> reference = sparse(transposed);
  const Dense<double> b = random_multivector(n, 2, 5);
  EXPECT_LE(backward_error(reference, b, system->solve_transposed(b)), attainable_error(n));
}

TEST(Mixed, SameBitsFromRunToRun) {
  const Csr<double> matrix = with_condition(90, 1e6, 8);
  const Dense<double> b = random_multivector(90, 2, 5);
  EXPECT_EQ(solve_in_team(matrix, b, mixed()).x.values, solve_in_team(matrix, b, mixed()).x.values);
}

}  // namespace
}  // namespace spsolve
