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

}  // namespace
}  // namespace spsolve::test
