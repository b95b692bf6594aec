#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <spsolve/spsolve.hpp>

#include "helpers/error_of.hpp"

namespace spsolve::test {
namespace {

TEST(PublicInterface, RefusesVectorsWithoutAColumn) {
  const Matrix a = Matrix::load("tridiagonal:5");
  const Dense<double> none(5, 0);
  const std::string said = "right-hand sides of no column: give one at least";
  Solver solver(a);
  EXPECT_EQ(error_of([&] { solver.solve(none); }), said);
  EXPECT_EQ(error_of([&] { solver.solve_transposed(none); }), said);
  Product product(a);
  EXPECT_EQ(error_of([&] { product.apply(none); }), "X has no column: give one at least");
  EXPECT_EQ(product.apply(Dense<double>(5, 2, 1.0)).columns, 2);
}

TEST(PublicInterface, RefusesNamesWithAZeroByte) {
  const std::string name("a\0b.mtx", 7), said = "'a\\x00b.mtx' holds a zero byte";
  EXPECT_NE(error_of([&] { Matrix::load(name); }).find(said), std::string::npos);
  Options options;
  for (std::string* const file : {&options.coordinates, &options.initial_guess,
                                  &options.ordering_file, &options.analysis_file}) {
    *file = name;
    EXPECT_NE(error_of([&] { Solver(Matrix::load("tridiagonal:5"), options); }).find(said),
              std::string::npos);
    file->clear();
  }
}

/// The Laplacian of a path, which takes constants to zero.
Matrix laplacian_of_path(Index n) {
  std::vector<Index> offsets{0};
  std::vector<Index> columns;
  std::vector<double> values;
  for (Index i = 0; i < n; ++i) {
    for (Index j = std::max<Index>(0, i - 1); j <= std::min(n - 1, i + 1); ++j) {
      columns.push_back(j);
      values.push_back(i != j ? -1.0 : i == 0 || i == n - 1 ? 1.0 : 2.0);
    }
    offsets.push_back(std::ssize(columns));
  }
  return Matrix::from_rows(n, n, offsets, columns, values);
}

TEST(PublicInterface, TakesNullSpacesAndFirstGuessesAsArrays) {
  constexpr Index n = 200;
  const Matrix a = laplacian_of_path(n);
  Dense<double> b(n, 1, 0.0);
  b(3, 0) = 1;
  b(150, 0) = -1;
  const std::string singular = error_of([&] { Solver(a).solve(b); }, ExitCode::not_trustworthy);
  EXPECT_NE(singular.find("solve.null_space=constants"), std::string::npos);
  Options options;
  options.null_space = NullSpaceKind::constants;
  const Solution expected = Solver(a, options).solve(b);
  options.null_space = NullSpaceKind::file;
  options.null_vectors = std::make_shared<const Dense<double>>(n, 1, 7.0);
  const Solution solution = Solver(a, options).solve(b);
  EXPECT_TRUE(solution.solved);
  EXPECT_NEAR(solution.x(3, 0) - solution.x(150, 0), 147, 1e-8);
  EXPECT_EQ(solution.x.values, expected.x.values);
  options.null_vectors = std::make_shared<const Dense<double>>(n - 1, 1, 7.0);
  EXPECT_NE(error_of([&] { Solver(a, options); }).find("has 199 rows"), std::string::npos);
  options.null_vectors = nullptr;
  EXPECT_NE(error_of([&] { Solver(a, options); }).find("null_vectors"), std::string::npos);

  const Matrix grid = Matrix::load("grid2d:30");
  options = {};
  options.method = Method::cg;
  options.accept = Acceptance::residual;
  const Dense<double> ones(grid.rows(), 1, 1.0);
  options.first_guess = Solver(grid, options).solve(ones).x;
  options.iterations = 1;  // enough from there, and too few from zero
  options.refinement = 0;
  EXPECT_TRUE(Solver(grid, options).solve(ones).solved);
  options.first_guess = Dense<double>(3, 1, 1.0);
  EXPECT_NE(error_of([&] { Solver(grid, options).solve(ones); }).find("the first guess is 3 x 1"),
            std::string::npos);
}

TEST(PublicInterface, NamesARightHandSideThatIsNotFinite) {
  const Matrix a = Matrix::load("tridiagonal:50");
  Solver solver(a);
  for (const double value : {NAN, INFINITY, -INFINITY}) {
    for (const Index columns : {1, 3}) {
      Dense<double> b(50, columns, 1.0);
      b(20, columns - 1) = value;
      const std::string said = "right-hand side " + std::to_string(columns - 1) +
                               ", counted from 0, has a value that is not finite";
      EXPECT_EQ(error_of([&] { solver.solve(b); }), said);
      EXPECT_EQ(error_of([&] { solver.solve_transposed(b); }), said);
    }
  }
  // And solves others as before.
  EXPECT_EQ(solver.solve(Dense<double>(50, 1, 1.0)).x.rows, 50);
}

}  // namespace
}  // namespace spsolve::test
