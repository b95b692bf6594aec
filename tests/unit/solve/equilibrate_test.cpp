#include "solve/operators/equilibrate.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "dense/host_device.hpp"
#include "helpers/reference.hpp"
#include "helpers/systems_in_bands.hpp"
#include "matrix/multivector.hpp"
#include "matrix/structure.hpp"

namespace spsolve {
namespace {

Equilibration of(const Csr<double>& matrix, AutoSwitch wanted,
                 Precision precision = Precision::float64) {
  SoloTeam team;
  return equilibration_of(test::matrix_in_bands(team, matrix), wanted, precision);
}

Csr<double> scaled(const Csr<double>& matrix) {
  SoloTeam team;
  return test::matrix_in_bands(team, matrix).scaled_rows(of(matrix, AutoSwitch::on));
}

/// Random entries, row i times 10^(i mod 13 - 6), column j times 10^(j mod 5).
Csr<double> badly_scaled(Index n) {
  Dense<double> dense = random_multivector(n, n, 6);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      dense(i, j) *= std::pow(10.0, static_cast<double>(i % 13 - 6 + j % 5));
    }
  }
  return test::sparse(dense);
}

TEST(Equilibration, BringsRowsAndColumnsNearOne) {
  const Csr<double> matrix = scaled(badly_scaled(50));
  std::vector<double> columns(50);
  for (Index i = 0; i < 50; ++i) {
    double row = 0;
    for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      const double value = std::abs(matrix.values[k]);
      row = std::max(row, value);
      columns[matrix.column_indices[k]] = std::max(columns[matrix.column_indices[k]], value);
    }
    EXPECT_GE(row, 0.5);
    EXPECT_LT(row, 1);
  }
  for (const double column : columns) {
    EXPECT_GE(column, 0.5);
    EXPECT_LT(column, 1);
  }
}

TEST(Equilibration, RoundsNothing) {
  const Csr<double> matrix = badly_scaled(30);
  const Csr<double> changed = scaled(matrix);
  int exponent = 0;
  for (std::size_t k = 0; k < matrix.values.size(); ++k) {
    EXPECT_EQ(std::frexp(matrix.values[k], &exponent), std::frexp(changed.values[k], &exponent));
  }
}

TEST(Equilibration, IsUndoneInBothKindsOfSolves) {
  const Csr<double> matrix = badly_scaled(20);
  SoloTeam team;
  HostDevice memory(team);
  test::EliminatedSystem system(team, memory, matrix, {}, AutoSwitch::on);
  system.eliminate();
  const Dense<double> b = random_multivector(20, 2, 9);
  EXPECT_LE(test::backward_error(matrix, b, system.solve(b)), 1e-15);
  EXPECT_LE(test::backward_error(transpose(matrix), b, system.solve_transposed(b)), 1e-15);
}

TEST(Equilibration, AutomaticLeavesWhatIsScaledWell) {
  EXPECT_FALSE(of(test::sparse(random_multivector(30, 30, 1)), AutoSwitch::automatic).scales);
  EXPECT_TRUE(of(test::sparse(random_multivector(30, 30, 1)), AutoSwitch::on).scales);
  EXPECT_TRUE(of(badly_scaled(30), AutoSwitch::automatic).scales);
  EXPECT_FALSE(of(badly_scaled(30), AutoSwitch::off).scales);
}

TEST(Equilibration, AutomaticKeepsAwayFromTheEndsOfTheRange) {
  Dense<double> dense = random_multivector(8, 8, 2);
  for (double& value : dense.values) value *= 1e30;
  EXPECT_FALSE(of(test::sparse(dense), AutoSwitch::automatic, Precision::float64).scales);
  EXPECT_TRUE(of(test::sparse(dense), AutoSwitch::automatic, Precision::float32).scales);
  for (double& value : dense.values) value *= 1e-60;
  EXPECT_FALSE(of(test::sparse(dense), AutoSwitch::automatic, Precision::float64).scales);
  EXPECT_TRUE(of(test::sparse(dense), AutoSwitch::automatic, Precision::float32).scales);
}

TEST(Equilibration, ZerosAndTheEndsOfDoubleGetFiniteFactors) {
  Dense<double> dense(4, 4);
  dense(0, 0) = 5e-324;
  dense(1, 1) = 1.7e308;
  dense(2, 2) = 1;
  const Equilibration scaling = of(test::sparse(dense), AutoSwitch::on);
  for (const auto* factors : {&scaling.rows.on_host(), &scaling.columns.on_host()}) {
    for (const double factor : *factors) {
      EXPECT_TRUE(std::isfinite(factor) && factor > 0) << factor;
    }
  }
  EXPECT_EQ(scaling.rows.on_host()[3], 1);
  EXPECT_EQ(scaling.columns.on_host()[3], 1);
  EXPECT_FALSE(of(Csr<double>{}, AutoSwitch::automatic).scales);
}

TEST(Equilibration, IsOfTheValuesAtHand) {
  SoloTeam team;
  const Csr<double> matrix = badly_scaled(20);
  SystemMatrix system = test::matrix_in_bands(team, matrix);
  const Equilibration first = equilibration_of(system, AutoSwitch::on, Precision::float64);
  EXPECT_TRUE(equilibration_of(system, AutoSwitch::on, Precision::float64).rows == first.rows);
  std::vector<double> values = matrix.values;
  for (double& value : values) value *= 8;
  system.set_values(values);
  const Equilibration second = equilibration_of(system, AutoSwitch::on, Precision::float64);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(second.rows.on_host()[i], first.rows.on_host()[i] / 8);
  }
  EXPECT_TRUE(second.columns == first.columns);
}

TEST(ResidualMaxima, AreThoseOfTheScaledSystemColumnByColumn) {
  SoloTeam team;
  const Dense<double> a = random_multivector(30, 30, 5), f = random_multivector(30, 2, 6),
                      y = random_multivector(30, 2, 7);
  SystemMatrix matrix = test::matrix_in_bands(team, test::sparse(a));
  for (const bool scales : {false, true}) {
    Equilibration scaling;
    std::vector<double> r(30, 1), c(30, 1);
    for (Index i = 0; scales && i < 30; ++i) {
      r[i] = std::ldexp(1.0, static_cast<int>(i % 5) - 2);
      c[i] = std::ldexp(1.0, static_cast<int>(i % 3));
    }
    if (scales) scaling = {true, r, c};
    const std::vector<double> found = residual_maxima(matrix, scaling, *test::vectors_of(matrix, f),
                                                      *test::vectors_of(matrix, y));
    ASSERT_EQ(found.size(), 2u);
    for (Index column = 0; column < 2; ++column) {
      double largest = 0;
      for (Index i = 0; i < 30; ++i) {
        double sum = 0;
        for (Index j = 0; j < 30; ++j) sum += r[i] * a(i, j) * c[j] * y(j, column);
        largest = std::max(largest, std::abs(f(i, column) - sum));
      }
      EXPECT_NEAR(found[column], largest, 1e-13 * largest) << scales;
    }
  }
  Dense<double> spoilt = y;
  spoilt(3, 0) = NAN;
  const std::vector<double> found =
      residual_maxima(matrix, {}, *test::vectors_of(matrix, f), *test::vectors_of(matrix, spoilt));
  EXPECT_TRUE(std::isnan(found[0]));
  EXPECT_TRUE(std::isfinite(found[1]));
}

}  // namespace
}  // namespace spsolve
