#include "solve/in_precision.hpp"

#include <gtest/gtest.h>

#include "vectors/multivector/host_vectors.hpp"

namespace spsolve {
namespace {

/// Columns of numbers that float has but for their scale.
Dense<double> columns_of_any_scale() {
  const int exponents[] = {0, -1060, -1022, -200, 200, 1000, 1020};
  Dense<double> b(5, std::ssize(exponents));
  for (Index i = 0; i < b.rows; ++i) {
    for (Index c = 0; c < b.columns; ++c) {
      b(i, c) = std::ldexp(static_cast<double>(i + 1), exponents[c]);
    }
  }
  return b;
}

TEST(SolveIn, FloatTakesColumnsOfAnyScale) {
  SoloTeam team;
  const Dense<double> b = columns_of_any_scale();
  HostVectors right(team, RowLayout{b.rows, 1}, b.columns),
      x(team, RowLayout{b.rows, 1}, b.columns);
  set_own_rows(right, b);
  solve_in<float>(right, x, [](const Dense<float>&) {});
  EXPECT_EQ(own_rows(x).values, b.values);
  solve_in<float>(right, right, [](const Dense<float>&) {});
  EXPECT_EQ(own_rows(right).values, b.values);
}

}  // namespace
}  // namespace spsolve
