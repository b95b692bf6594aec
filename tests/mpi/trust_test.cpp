#include "solve/trust/trust.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "helpers/reference.hpp"
#include "helpers/systems.hpp"
#include "matrix/multivector.hpp"
#include "matrix/structure.hpp"
#include "solve/trust/condition.hpp"
#include "solve_in_team.hpp"

// Solves with A^T, condition, and refinement to the last digit, with every elimination.

namespace spsolve {
namespace {

using test::backward_error;
using test::eliminate_in_team;
using test::solve_in_team;
using test::Solved;
using test::sparse;

std::vector<EliminationChoice> choices_for(Index n) {
  std::vector<EliminationChoice> choices{
      {Method::gauss, Pivoting::partial, Precision::float64},
      {Method::gauss, Pivoting::complete, Precision::float64},
      {Method::gauss_jordan, Pivoting::partial, Precision::float64},
      {Method::gauss_jordan, Pivoting::complete, Precision::float64},
  };
  for (const Index block : {1, 7, 16, 100}) {
    for (const Pivoting pivoting : {Pivoting::tournament, Pivoting::partial}) {
      choices.push_back({Method::lu, pivoting, Precision::float64, std::min(block, n)});
    }
  }
  return choices;
}

std::string print(const EliminationChoice& choice, Index n) {
  return fmt::format("method {}, pivoting {}, block {}, n = {}", static_cast<int>(choice.method),
                     static_cast<int>(choice.pivoting), choice.block, n);
}

TEST(SolveTransposed, MatchesLapackForEveryElimination) {
  for (const Index n : {1, 2, 5, 16, 33, 90}) {
    const Csr<double> matrix = sparse(random_multivector(n, n, n + 3));
    const Csr<double> transposed = transpose(matrix);
    const Dense<double> b = random_multivector(n, 3, n + 1);
    const double lapack = backward_error(transposed, b, test::lapack_solve(transposed, b));
    for (const EliminationChoice& choice : choices_for(n)) {
      const auto system = eliminate_in_team(matrix, choice);
      const Dense<double> x = system->solve_transposed(b);
      // Gauss-Jordan's residual may exceed Gauss's by a factor of up to the condition of U.
      const double factor = choice.method == Method::gauss_jordan ? 1e4 : 20;
      EXPECT_LE(backward_error(transposed, b, x), factor * std::max(lapack, unit_roundoff))
          << print(choice, n);
    }
  }
}

TEST(SolveTransposed, InFloat) {
  const Csr<double> matrix = sparse(random_multivector(50, 50, 2));
  const Dense<double> b = random_multivector(50, 2, 3);
  for (const Method method : {Method::gauss, Method::lu}) {
    const auto system =
        eliminate_in_team(matrix, {method, Pivoting::partial, Precision::float32, 16});
    const Dense<double> x = system->solve_transposed(b);
    EXPECT_LE(backward_error(transpose(matrix), b, x), 1e-5);
    EXPECT_GT(backward_error(transpose(matrix), b, x), 1e-12) << "this was not done in float";
  }
}

TEST(SolveInFloat, TinyAndHugeRightHandSidesDoNotLeaveItsRange) {
  const Csr<double> matrix = sparse(random_multivector(20, 20, 2));
  const Dense<double> b = random_multivector(20, 1, 3);
  const EliminationChoice choice{Method::lu, Pivoting::partial, Precision::float32, 16};
  const Solved plain = solve_in_team(matrix, b, choice);
  for (const double factor : {0x1p-300, 0x1p300}) {
    Dense<double> scaled = b;
    for (double& value : scaled.values) value *= factor;
    const Solved solved = solve_in_team(matrix, scaled, choice);
    for (Index i = 0; i < 20; ++i) EXPECT_EQ(solved.x(i, 0), plain.x(i, 0) * factor);
  }
}

/// A^-1 by LAPACK.
Dense<double> inverse(const Csr<double>& matrix) {
  Dense<double> identity(matrix.rows, matrix.rows);
  for (Index i = 0; i < matrix.rows; ++i) identity(i, i) = 1;
  return test::lapack_solve(matrix, identity);
}

/// estimate_condition() of an eliminated system, b and x whole on every rank.
Condition condition_of(test::SystemInTeam& system, const Dense<double>& b, const Dense<double>& x) {
  return estimate_condition(system.matrix(), *test::vectors_of(system.matrix(), b),
                            *test::vectors_of(system.matrix(), x), system.inverse());
}

double largest_row_sum(const Dense<double>& a, const std::vector<double>& weights) {
  double largest = 0;
  for (Index i = 0; i < a.rows; ++i) {
    double sum = 0;
    for (Index j = 0; j < a.columns; ++j) sum += std::abs(a(i, j)) * weights[j];
    largest = std::max(largest, sum);
  }
  return largest;
}

/// The condition by the inverse itself, for one right-hand side.
Condition exact_condition(const Csr<double>& matrix, const Dense<double>& b,
                          const Dense<double>& x) {
  const Index n = matrix.rows;
  const Dense<double> of_inverse = inverse(matrix);
  std::vector<double> weights(static_cast<std::size_t>(n)), ones(weights.size(), 1.0);
  double norm = 0, size = 0;
  for (Index i = 0; i < n; ++i) {
    double row_sum = 0;
    weights[i] = std::abs(b(i, 0));
    for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      row_sum += std::abs(matrix.values[k]);
      weights[i] += std::abs(matrix.values[k] * x(matrix.column_indices[k], 0));
    }
    norm = std::max(norm, row_sum);
    size = std::max(size, std::abs(x(i, 0)));
  }
  return {norm * largest_row_sum(of_inverse, ones), largest_row_sum(of_inverse, weights) / size};
}

TEST(EstimateCondition, WithinAFactorOfThreeOfTheInverse) {
  for (const test::System& tested : test::difficult_systems(60)) {
    if (tested.name == "gfpp") continue;  // where partial pivoting fails, so do its factors
    const Dense<double> x = random_multivector(60, 1, 4);
    const Dense<double> b = test::multiply(tested.matrix, x);
    const Condition exact = exact_condition(tested.matrix, b, x);
    for (const EliminationChoice& choice : choices_for(60)) {
      for (const AutoSwitch equilibrate : {AutoSwitch::off, AutoSwitch::on}) {
        const auto system = eliminate_in_team(tested.matrix, choice, equilibrate);
        const Condition found = condition_of(*system, b, x);
        const std::string where = tested.name + ": " + print(choice, 60);
        // The inverse itself is right to a few digits only where the condition is 1e13.
        EXPECT_LE(found.normwise, 1.1 * exact.normwise) << where;
        EXPECT_GE(found.normwise, exact.normwise / 3) << where;
        EXPECT_LE(found.componentwise, 1.1 * exact.componentwise) << where;
        EXPECT_GE(found.componentwise, exact.componentwise / 3) << where;
      }
    }
  }
}

TEST(EstimateCondition, OfSeveralRightHandSidesBoundsEach) {
  const Csr<double> matrix = sparse(random_multivector(40, 40, 8));
  Dense<double> x(40, 2, 1.0);
  for (Index i = 0; i < 40; ++i) x(i, 1) = i == 7 ? 1 : 1e-9;
  const Dense<double> b = test::multiply(matrix, x);
  const auto system =
      eliminate_in_team(matrix, {Method::lu, Pivoting::tournament, Precision::float64, 16});
  const auto by_components = [&](const Dense<double>& right, const Dense<double>& solution) {
    return condition_of(*system, right, solution).componentwise;
  };
  const double both = by_components(b, x);
  for (Index c = 0; c < 2; ++c) {
    Dense<double> one_b(40, 1), one_x(40, 1);
    for (Index i = 0; i < 40; ++i) {
      one_b(i, 0) = b(i, c);
      one_x(i, 0) = x(i, c);
    }
    EXPECT_GE(both, by_components(one_b, one_x) / 3);
  }
  EXPECT_EQ(by_components(Dense<double>(40, 1), Dense<double>(40, 1)), 0);
}

double largest_error(const Dense<double>& x, double truth) {
  double error = 0;
  for (const double value : x.values) error = std::max(error, std::abs(value - truth));
  return error / std::abs(truth);
}

/// A system of whole numbers that double holds exactly, and whose solution is all ones.
struct ExactSystem {
  std::string name;
  Csr<double> matrix;
};

std::vector<ExactSystem> exact_systems() {
  // Hilbert's matrix times the least common multiple of its denominators: condition 5e11.
  const Index n = 9;
  const double multiple = 12252240;
  Dense<double> hilbert(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) hilbert(i, j) = multiple / static_cast<double>(i + j + 1);
  }
  // Random small numbers, the last row nearly the sum of the others: condition about 1e11.
  Dense<double> singular(40, 40);
  const Dense<double> random = random_multivector(40, 40, 5);
  for (Index j = 0; j < 40; ++j) {
    double sum = 0;
    for (Index i = 0; i < 39; ++i) sum += singular(i, j) = std::floor(random(i, j) * 0x1p30);
    singular(39, j) = sum + std::floor(random(39, j) * 4);
  }
  // Rows and columns graded over 2^40.
  Dense<double> graded(30, 30);
  for (Index i = 0; i < 30; ++i) {
    for (Index j = 0; j < 30; ++j) {
      graded(i, j) = std::ldexp(std::floor(random(i, j) * 64), static_cast<int>(i + (29 - j) / 3));
    }
  }
  return {{"hilbert", sparse(hilbert)},
          {"nearly singular", sparse(singular)},
          {"graded", sparse(graded)}};
}

TEST(Refine, MakesXRightToTheLastDigitWhereItsConditionWouldNotLetIt) {
  for (const ExactSystem& system : exact_systems()) {
    const Index n = system.matrix.rows;
    const Dense<double> b = test::multiply(system.matrix, Dense<double>(n, 1, 1.0));
    for (const EliminationChoice& choice : choices_for(n)) {
      const Solved plain = solve_in_team(system.matrix, b, choice);
      const Solved refined = solve_in_team(system.matrix, b, choice, 10);
      const std::string where = system.name + ": " + print(choice, n);
      if (system.name != "graded") {
        EXPECT_GT(largest_error(plain.x, 1), 1e-10) << where << ": not difficult";
      }
      EXPECT_LE(largest_error(refined.x, 1), unit_roundoff) << where;
      EXPECT_EQ(refined.refinement.forward_error, unit_roundoff) << where;
    }
  }
}

TEST(EstimateCondition, KnowsSingularToWorkingPrecision) {
  Dense<double> hilbert(14, 14);
  for (Index i = 0; i < 14; ++i) {
    for (Index j = 0; j < 14; ++j) hilbert(i, j) = 1.0 / static_cast<double>(i + j + 1);
  }
  const Dense<double> b = random_multivector(14, 1, 1);
  const auto system =
      eliminate_in_team(sparse(hilbert), {Method::lu, Pivoting::partial, Precision::float64, 8});
  const Condition condition = condition_of(*system, b, system->solve(b));
  EXPECT_GT(condition.normwise, 1e16);
  EXPECT_GT(condition.componentwise, 1 / unit_roundoff);
}

TEST(Trust, BoundsHoldOnDifficultSystems) {
  for (const test::System& tested : test::difficult_systems(70)) {
    if (tested.name == "gfpp") continue;
    // b is rounded: the exact solution of the stored system is what long refinement converges to.
    const Dense<double> b = test::multiply(tested.matrix, random_multivector(70, 1, 6));
    const EliminationChoice choice{Method::lu, Pivoting::tournament, Precision::float64, 16};
    const Solved truth = solve_in_team(tested.matrix, b, choice, 20, AutoSwitch::on);
    ASSERT_EQ(truth.refinement.forward_error, unit_roundoff) << tested.name;
    const auto system = eliminate_in_team(tested.matrix, choice);
    const Dense<double> x = system->solve(b);
    const Quality quality =
        measure(system->matrix(), *test::vectors_of(system->matrix(), b),
                *test::vectors_of(system->matrix(), x), *system->matrix().vectors(1));
    const Condition condition = condition_of(*system, b, x);
    double error = 0, size = 0;
    for (Index i = 0; i < 70; ++i) {
      error = std::max(error, std::abs(x(i, 0) - truth.x(i, 0)));
      size = std::max(size, std::abs(x(i, 0)));
    }
    EXPECT_LE(error / size, 3 * forward_bound(condition, quality) + 2 * unit_roundoff)
        << tested.name;
    if (condition.componentwise < 1e12) {
      EXPECT_LE(forward_bound(condition, quality), 1e-2) << tested.name << ": it says nothing";
    }
  }
}

TEST(Equilibrate, SolvesInFloatWhatFloatCannotHold) {
  Dense<double> dense = random_multivector(30, 30, 12);
  for (Index i = 0; i < 30; ++i) {
    for (Index j = 0; j < 30; ++j) dense(i, j) *= std::ldexp(1.0, static_cast<int>(20 * (i - j)));
  }
  const Csr<double> matrix = sparse(dense);
  const Dense<double> b = test::multiply(matrix, random_multivector(30, 1, 2));
  const EliminationChoice choice{Method::lu, Pivoting::tournament, Precision::float32, 8};
  EXPECT_THROW(solve_in_team(matrix, b, choice, 10), Error);
  const Solved solved = solve_in_team(matrix, b, choice, 10, AutoSwitch::automatic);
  EXPECT_LE(solved.refinement.after.componentwise_error, 4 * unit_roundoff);
}

TEST(Equilibrate, MakesGradedSystemsRightByComponents) {
  // Rows scaled by up to 2^40 the wrong way round lead partial pivoting astray.
  Dense<double> dense = random_multivector(60, 60, 7);
  for (Index i = 0; i < 60; ++i) {
    for (Index j = 1; j < 60; ++j)
      dense(i, j) = std::ldexp(dense(i, j), static_cast<int>(i % 3) * -20);
    dense(i, 0) = std::ldexp(dense(i, 0), static_cast<int>(i % 3) * -20);
  }
  const Csr<double> matrix = sparse(dense);
  const Dense<double> b = test::multiply(matrix, Dense<double>(60, 1, 1.0));
  for (const EliminationChoice& choice : choices_for(60)) {
    const Solved solved = solve_in_team(matrix, b, choice, 0, AutoSwitch::automatic);
    EXPECT_LE(solved.refinement.after.componentwise_error, 1e-11) << print(choice, 60);
  }
}

}  // namespace
}  // namespace spsolve
