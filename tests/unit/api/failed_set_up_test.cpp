// A Solver whose set-up with new values failed: it refuses to solve until one has succeeded, or
// solves with what is whole, whatever the method; as a Newton loop that catches a singular Jacobian
// needs it. In C++ and in C.

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <spsolve/spsolve.h>
#include <spsolve/spsolve.hpp>

#include "choice/solver_table.hpp"
#include "config/schema.hpp"
#include "helpers/error_of.hpp"
#include "helpers/threads.hpp"

namespace spsolve::test {
namespace {

struct Case {
  Method method;
  Precision precision;
  bool full;  ///< whether the matrix has all its entries
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const bool full : {false, true}) {
    all.push_back({Method::automatic, Precision::float64, full});
    for (const SolverRow& row : solver_table()) {
      all.push_back({row.method, Precision::float64, full});
      if (is_krylov(row.method)) continue;
      all.push_back({row.method, Precision::mixed, full});
      all.push_back({row.method, Precision::float32, full});
    }
  }
  return all;
}

/// Symmetric and positive definite.
Matrix matrix_of(bool full) {
  if (!full) return Matrix::load("grid2d:6");
  const Index n = 20;
  std::vector<Index> offsets{0}, columns;
  std::vector<double> values;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      columns.push_back(j);
      values.push_back(i == j ? 9.0 : 1.0 / static_cast<double>(1 + std::abs(i - j)));
    }
    offsets.push_back(static_cast<Index>(columns.size()));
  }
  return Matrix::from_rows(n, n, offsets, columns, values);
}

/// Values with which the set-up of some methods fails, or their first solve.
std::vector<std::vector<double>> bad_values(const Matrix& a) {
  const std::vector<double> good(a.values().begin(), a.values().end());
  std::vector<std::vector<double>> all{std::vector<double>(good.size(), 0.0),
                                       std::vector<double>(good.size(), 1.0), good, good};
  for (double& value : all[2]) value = -value;
  all[3][1] = 5;  // no longer symmetric
  return all;
}

class FailedSetUp : public testing::TestWithParam<Case> {
 protected:
  Options options() const {
    Options options;
    options.method = GetParam().method;
    options.precision = GetParam().precision;
    return options;
  }

  Matrix a = matrix_of(GetParam().full);
  std::vector<double> good{a.values().begin(), a.values().end()};
  Dense<double> b{a.rows(), 1, 1.0};
  const test::Threads alone{1};
};

INSTANTIATE_TEST_SUITE_P(All, FailedSetUp, testing::ValuesIn(cases()), [](const auto& tested) {
  const Case& c = tested.param;
  return fmt::format("{}_{}_{}", name(c.method), name(c.precision), c.full ? "full" : "sparse");
});

TEST_P(FailedSetUp, SolvesAgainAfterValuesThatDo) {
  Solver solver(a, options());
  const Dense<double> x = solver.solve(b).x;
  for (const std::vector<double>& bad : bad_values(a)) {
    bool failed = false;
    try {
      solver.set_values(bad);
    } catch (const Error&) {
      failed = true;
    }
    for (const bool transposed : {false, true, false}) {
      const auto solve = [&] { transposed ? solver.solve_transposed(b) : solver.solve(b); };
      if (failed) {
        const std::string said = error_of(solve);
        EXPECT_TRUE(
            said.starts_with("there are no factors to solve with, as the last set-up failed"))
            << said;
        EXPECT_EQ(said.find('\n'), said.npos) << said;
        continue;
      }
      try {
        solve();
      } catch (const Error& error) {
        EXPECT_GT(std::string(error.what()).size(), 20u);
      }
    }
    error_of([&] { solver.solve(Dense<double>(3, 1)); });
    solver.set_values(good);
    const Dense<double> again = solver.solve(b).x;
    for (std::size_t i = 0; i < x.values.size(); ++i) {
      EXPECT_NEAR(again.values[i], x.values[i], 1e-13 * std::abs(x.values[i]));
    }
  }
}

TEST_P(FailedSetUp, ValuesThatCannotBeLeaveItAsItWas) {
  Solver solver(a, options());
  const Dense<double> x = solver.solve(b).x;
  std::vector<double> bad = good;
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    bad[3] = value;
    EXPECT_NE(error_of([&] { solver.set_values(bad); }).find("not a finite number"),
              std::string::npos);
  }
  bad.pop_back();
  bad[3] = 1;
  error_of([&] { solver.set_values(bad); });
  EXPECT_EQ(solver.solve(b).x.values, x.values);
}

TEST_P(FailedSetUp, IsAStatusInC) {
  spsolve_matrix* matrix = nullptr;
  const Csr<double>& rows = a.csr();
  const std::vector<std::int64_t> offsets(rows.row_offsets.begin(), rows.row_offsets.end()),
      columns(rows.column_indices.begin(), rows.column_indices.end());
  ASSERT_EQ(spsolve_matrix_from_rows(a.rows(), a.columns(), offsets.data(), columns.data(),
                                     good.data(), &matrix),
            SPSOLVE_OK);
  spsolve_options wanted;
  spsolve_options_init(&wanted);
  wanted.method = static_cast<spsolve_method>(GetParam().method);
  wanted.precision = static_cast<spsolve_precision>(GetParam().precision);
  spsolve_solver* solver = nullptr;
  ASSERT_EQ(spsolve_solver_create(matrix, &wanted, &solver), SPSOLVE_OK);
  std::vector<double> x(b.values.size()), again(x.size());
  const auto solve = [&](std::vector<double>& to) {
    return spsolve_solver_solve(solver, 0, 1, b.values.data(), to.data(), nullptr);
  };
  const auto set = [&](const std::vector<double>& values) {
    return spsolve_solver_set_values(solver, static_cast<std::int64_t>(values.size()),
                                     values.data());
  };
  ASSERT_EQ(solve(x), SPSOLVE_OK);
  for (const std::vector<double>& bad : bad_values(a)) {
    if (set(bad) == SPSOLVE_OK) {
      solve(again);
    } else {
      EXPECT_EQ(solve(again), SPSOLVE_INPUT);
      EXPECT_TRUE(std::string(spsolve_last_error()).starts_with("there are no factors"));
    }
    ASSERT_EQ(set(good), SPSOLVE_OK) << spsolve_last_error();
    ASSERT_EQ(solve(again), SPSOLVE_OK);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(again[i], x[i], 1e-13 * std::abs(x[i]));
  }
  spsolve_solver_free(solver);
  spsolve_matrix_free(matrix);
}

}  // namespace
}  // namespace spsolve::test
