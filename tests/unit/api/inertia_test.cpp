// Inertia, facts of factors, and Solvers that are analysed before there are values.

#include <complex>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <spsolve/spsolve.hpp>

#include "helpers/error_of.hpp"

namespace spsolve::test {
namespace {

Options by(Method method) {
  Options options;
  options.method = method;
  options.condition = false;
  return options;
}

/// K = [H B; B^T 0] with H = I and B = I of order m: m negative eigenvalues, and a diagonal of
/// which the second half is `corner`.
Matrix saddle(Index m, double corner) {
  std::vector<Index> rows, columns;
  std::vector<double> values;
  const auto add = [&](Index i, Index j, double value) {
    rows.push_back(i);
    columns.push_back(j);
    values.push_back(value);
  };
  for (Index i = 0; i < m; ++i) {
    add(i, i, 1e-9);
    add(i, m + i, 1);
    add(m + i, i, 1);
    add(m + i, m + i, corner);
    if (i > 0) {
      add(i, i - 1, 0.25);
      add(i - 1, i, 0.25);
    }
  }
  return Matrix::from_entries(2 * m, 2 * m, rows, columns, values);
}

/// Expects these numbers, and such certainty.
void expect_inertia(Solver& solver, Index positive, Index negative, Index zero,
                    Certainty certainty = Certainty::certain) {
  const std::optional<Inertia> told = solver.inertia();
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->certainty, certainty) << told->doubt;
  EXPECT_EQ(told->positive, positive);
  EXPECT_EQ(told->negative, negative);
  EXPECT_EQ(told->zero, zero);
  EXPECT_EQ(told->doubt.empty(), certainty == Certainty::certain) << told->doubt;
}

TEST(Inertia, OfDefiniteAndIndefiniteMatrices) {
  for (const Method method : {Method::sparse_ldlt, Method::sparse_cholesky}) {
    Solver definite(Matrix::load("grid2d:20"), by(method));
    expect_inertia(definite, 400, 0, 0);
  }
  Solver definite(Matrix::load("grid2d:20"), by(Method::sparse_ldlt));
  EXPECT_EQ(definite.report().negative_pivots, std::optional<Index>(0));
  EXPECT_GE(definite.report().factor_entries, 1000);
  EXPECT_GT(definite.report().flops, 1000);

  Solver none(Matrix::load("grid2d:20"), by(Method::sparse_lu));
  EXPECT_FALSE(none.inertia().has_value());
}

TEST(Inertia, OfAHermitianMatrixCountsItsOwnEigenvalues) {
  using Number = std::complex<double>;
  const std::vector<Index> offsets{0, 2, 4}, columns{0, 1, 0, 1};
  const std::vector<Number> values{{1, 0}, {0, 2}, {0, -2}, {1, 0}};  // 3 and -1
  Solver solver(Matrix::from_rows(2, 2, offsets, columns, std::span<const Number>(values)),
                by(Method::sparse_ldlt));
  expect_inertia(solver, 1, 1, 0);
}

TEST(Inertia, OfAComplexSymmetricMatrixThereIsNone) {
  using Number = std::complex<double>;
  const std::vector<Index> offsets{0, 2, 4}, columns{0, 1, 0, 1};
  const std::vector<Number> values{{1, 0}, {0, 2}, {0, 2}, {1, 0}};
  Solver solver(Matrix::from_rows(2, 2, offsets, columns, std::span<const Number>(values)),
                by(Method::sparse_ldlt));
  EXPECT_FALSE(solver.inertia().has_value());
}

TEST(Inertia, OfFloatAndMixedFactors) {
  for (const Precision precision : {Precision::float32, Precision::mixed}) {
    Options options = by(Method::sparse_ldlt);
    options.precision = precision;
    Solver solver(saddle(20, -1), options);
    expect_inertia(solver, 20, 20, 0);
  }
}

/// Symmetric, dense, with these rows.
Matrix dense_rows(const std::vector<std::vector<double>>& rows) {
  std::vector<Index> is, js;
  std::vector<double> values;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j) {
      is.push_back(static_cast<Index>(i));
      js.push_back(static_cast<Index>(j));
      values.push_back(rows[i][j]);
    }
  }
  const auto n = static_cast<Index>(rows.size());
  return Matrix::from_entries(n, n, is, js, values);
}

TEST(Inertia, OfASingularMatrixIsNeverCertain) {
  // diag(2, -1), and constraints of which the second is the first once more.
  const std::vector<double> regular{2, 0, 1, 2, 0, -1, 1, 1, 1, 1, 0, 0, 2, 1, 0, 0},
      singular{2, 0, 1, 1, 0, -1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0};
  const auto rows_of = [](const std::vector<double>& values) {
    std::vector<std::vector<double>> rows;
    for (std::size_t i = 0; i < 16; i += 4) {
      rows.emplace_back(values.begin() + i, values.begin() + i + 4);
    }
    return dense_rows(rows);
  };
  Solver solver = Solver::analysed(rows_of(regular), by(Method::sparse_ldlt));
  expect_inertia(solver, -1, -1, -1, Certainty::unknown);
  EXPECT_NE(test::error_of([&] { solver.set_values(singular); }, ExitCode::not_trustworthy)
                .find("singular"),
            std::string::npos);
  expect_inertia(solver, -1, -1, 1, Certainty::unknown);
  EXPECT_EQ(solver.inertia()->rows.size(), 1u);
  solver.set_values(regular);
  expect_inertia(solver, 2, 2, 0);
  EXPECT_TRUE(solver.inertia()->rows.empty());
}

TEST(Inertia, OfAMatrixNextToASingularOneIsNotCertain) {
  // The second and the third pivot are of the size of rounding errors.
  const double third = 1.0 / 3, last = third * third * 3;
  const Matrix a = dense_rows({{3, 1, 1}, {1, third, third}, {1, third, last}});
  Solver solver = Solver::analysed(a, by(Method::sparse_ldlt));
  try {
    solver.set_values(a.values());
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::not_trustworthy) << error.what();
  }
  const std::optional<Inertia> told = solver.inertia();
  ASSERT_TRUE(told.has_value());
  EXPECT_NE(told->certainty, Certainty::certain);
  EXPECT_EQ(told->negative == -1, told->certainty == Certainty::unknown);
}

TEST(Inertia, PivotsThatAreTooSmallDoNotHideIt) {
  for (const double corner : {0.0, -1e-12, 1e-12}) {
    Solver solver(saddle(300, corner), by(Method::sparse_ldlt));
    expect_inertia(solver, 300, 300, 0);
    EXPECT_EQ(solver.report().perturbed_pivots, 0) << corner;
    const Solution solution = solver.solve(Dense<double>(600, 1, 1.0));
    EXPECT_TRUE(solution.solved) << corner;
  }
}

TEST(Shifts, AreOfTheDiagonalAsItWasGiven) {
  const Matrix a = saddle(20, 0);
  std::vector<double> shifts(40, 0.0);
  Solver solver(a, by(Method::sparse_ldlt));
  const Dense<double> b(40, 1, 1.0);
  const std::vector<double> unshifted = solver.solve(b).x.values;
  expect_inertia(solver, 20, 20, 0);
  for (const double shift : {-8.0, 0.25, 8.0}) {
    for (std::size_t i = 0; i < 20; ++i) shifts[i] = shift;
    solver.set_shifts(shifts);
    expect_inertia(solver, 20, 20, 0);  // as [H B; B 0] has for any H
  }
  for (double& shift : shifts) shift = 8;
  solver.set_shifts(shifts);
  expect_inertia(solver, 40, 0, 0);
  for (double& shift : shifts) shift = -8;
  solver.set_shifts(shifts);
  expect_inertia(solver, 0, 40, 0);
  for (double& shift : shifts) shift = 0;
  solver.set_shifts(shifts);
  EXPECT_EQ(solver.solve(b).x.values, unshifted);
}

TEST(Shifts, ComeWithNewValuesAndGoWithThem) {
  const Matrix a = saddle(20, 0);
  const Dense<double> b(40, 1, 1.0);
  const std::vector<double> shifts(40, 2.0);
  std::vector<double> twice(a.values().begin(), a.values().end());
  for (double& value : twice) value *= 2;
  Solver one(a, by(Method::sparse_ldlt)), other(a, by(Method::sparse_ldlt));
  one.set_values(twice, shifts);
  other.set_values(twice);
  other.set_shifts(shifts);
  EXPECT_EQ(one.solve(b).x.values, other.solve(b).x.values);
  one.set_values(a.values());
  EXPECT_EQ(one.solve(b).x.values, Solver(a, by(Method::sparse_ldlt)).solve(b).x.values);
}

TEST(Shifts, OfComplexMatricesAreReal) {
  using Number = std::complex<double>;
  const std::vector<Index> offsets{0, 2, 4}, columns{0, 1, 0, 1};
  const std::vector<Number> b{{1, 2}, {3, 4}};
  const std::vector<double> shifts{4, 8};
  for (const Number corner : {Number(0, -2), Number(0, 2)}) {  // Hermitian, and symmetric
    const std::vector<Number> values{{1, 0}, {0, 2}, corner, {1, 0}},
        shifted{{5, 0}, {0, 2}, corner, {9, 0}};
    const auto solver_of = [&](const std::vector<Number>& of) {
      return Solver(Matrix::from_rows(2, 2, offsets, columns, std::span<const Number>(of)),
                    by(Method::sparse_ldlt));
    };
    Solver solver = solver_of(values), expected = solver_of(shifted);
    solver.set_shifts(shifts);
    std::vector<Number> x(2), y(2);
    solver.solve(b, 1, x);
    expected.solve(b, 1, y);
    EXPECT_EQ(x, y) << corner;
  }
}

TEST(Shifts, AreRefusedByName) {
  const Matrix a = dense_rows({{2, 1}, {1, -1}});
  Solver solver(a, by(Method::sparse_ldlt));
  const double infinite = std::numeric_limits<double>::infinity();
  const auto said = [&](std::vector<double> shifts) {
    return test::error_of([&] { solver.set_shifts(shifts); });
  };
  EXPECT_EQ(said({1}), "there are 1 shifts for 2 rows");
  EXPECT_EQ(said({1, infinite}), "the shift of row 1 is no number");
  const std::vector<Index> is{0, 1}, js{1, 0};
  Solver without(Matrix::from_entries(2, 2, is, js, std::vector<double>{1, 1}),
                 by(Method::sparse_ldlt));
  EXPECT_NE(test::error_of([&] {
              without.set_shifts(std::vector<double>{0, 1});
            }).find("row 1, counted from 0, has no entry on the diagonal"),
            std::string::npos);
  without.set_shifts(std::vector<double>{0, 0});
  expect_inertia(without, 1, 1, 0);
  expect_inertia(solver, 1, 1, 0);
}

TEST(AnalysedSolver, EliminatesWithItsFirstValues) {
  const Matrix a = Matrix::load("grid2d:20");
  const Dense<double> b(400, 1, 1.0);
  for (const Method method : {Method::sparse_lu, Method::sparse_cholesky, Method::sparse_ldlt}) {
    Solver solver = Solver::analysed(a, by(method));
    EXPECT_GE(solver.plan().factor_entries, 1000);
    test::error_of([&] { solver.solve(b); });
    solver.set_values(a.values());
    EXPECT_EQ(solver.solve(b).x.values, Solver(a, by(method)).solve(b).x.values);
    EXPECT_EQ(solver.report().factor_entries, solver.plan().factor_entries);
  }
}

}  // namespace
}  // namespace spsolve::test
