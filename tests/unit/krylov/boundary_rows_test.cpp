#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <spsolve/spsolve.hpp>

namespace spsolve {
namespace {

/// -u'' with u given at both ends, whose rows hold their diagonal alone.
Matrix with_ends(Index n) {
  std::vector<Index> rows, columns;
  std::vector<double> values;
  const auto add = [&](Index i, Index j, double value) {
    rows.push_back(i);
    columns.push_back(j);
    values.push_back(value);
  };
  for (Index i = 0; i < n; ++i) {
    const bool end = i == 0 || i == n - 1;
    add(i, i, end ? 5 : 2);
    if (end) continue;
    add(i, i - 1, -1);
    add(i, i + 1, -1);
  }
  return Matrix::from_entries(n, n, rows, columns, values);
}

TEST(BoundaryRows, SymmetricMethodsSolveWithAAndItsTranspose) {
  constexpr Index n = 60;
  const Matrix a = with_ends(n);
  Dense<double> b(n, 2);
  for (Index i = 0; i < n; ++i) {
    b(i, 0) = std::sin(static_cast<double>(i)) + 1;
    b(i, 1) = i == 0 ? 3 : 0.25 * static_cast<double>(i % 5);
  }
  const Dense<double> x = Solver(a).solve(b).x, y = Solver(a).solve_transposed(b).x;
  for (const Method method : {Method::cg, Method::minres, Method::block_cg}) {
    Options options;
    options.method = method;
    Solver solver(a, options);
    for (const bool transposed : {false, true}) {
      const Solution solution = transposed ? solver.solve_transposed(b) : solver.solve(b);
      EXPECT_TRUE(solution.solved);
      const Dense<double>& expected = transposed ? y : x;
      for (std::size_t k = 0; k < expected.values.size(); ++k) {
        EXPECT_NEAR(solution.x.values[k], expected.values[k], 1e-9) << transposed << " " << k;
      }
    }
    // New values of the pattern.
    std::vector<double> values;
    for (Index i = 0; i < n; ++i) {
      const bool end = i == 0 || i == n - 1;
      if (!end) values.push_back(-2);
      values.push_back(end ? 7 : 4);
      if (!end) values.push_back(-2);
    }
    solver.set_values(values);
    const Solution again = solver.solve(b);
    EXPECT_TRUE(again.solved);
    EXPECT_DOUBLE_EQ(again.x(0, 1), 3.0 / 7);
  }
}

}  // namespace
}  // namespace spsolve
