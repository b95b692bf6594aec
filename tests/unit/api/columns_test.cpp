#include <cmath>
#include <string>

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
