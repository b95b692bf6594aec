// Inertia, facts of factors, and Solvers that are analysed before there are values.

#include <optional>
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

TEST(Inertia, OfDefiniteAndIndefiniteMatrices) {
  Solver definite(Matrix::load("grid2d:20"), by(Method::sparse_ldlt));
  EXPECT_EQ(definite.negative_eigenvalues(), std::optional<Index>(0));
  EXPECT_EQ(definite.report().negative_pivots, std::optional<Index>(0));
  EXPECT_GE(definite.report().factor_entries, 1000);
  EXPECT_GT(definite.report().flops, 1000);

  Solver none(Matrix::load("grid2d:20"), by(Method::sparse_lu));
  EXPECT_EQ(none.negative_eigenvalues(), std::nullopt);
}

TEST(Inertia, OfAHermitianMatrixCountsItsOwnEigenvalues) {
  using Number = std::complex<double>;
  const std::vector<Index> offsets{0, 2, 4}, columns{0, 1, 0, 1};
  const std::vector<Number> values{{1, 0}, {0, 2}, {0, -2}, {1, 0}};  // 3 and -1
  Solver solver(Matrix::from_rows(2, 2, offsets, columns, std::span<const Number>(values)),
                by(Method::sparse_ldlt));
  EXPECT_EQ(solver.negative_eigenvalues(), std::optional<Index>(1));
}

TEST(Inertia, PivotsThatAreTooSmallDoNotHideIt) {
  for (const double corner : {0.0, -1e-12, 1e-12}) {
    Solver solver(saddle(300, corner), by(Method::sparse_ldlt));
    EXPECT_EQ(solver.negative_eigenvalues(), std::optional<Index>(300)) << corner;
    EXPECT_EQ(solver.report().perturbed_pivots, 0) << corner;
    const Solution solution = solver.solve(Dense<double>(600, 1, 1.0));
    EXPECT_TRUE(solution.solved) << corner;
  }
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
