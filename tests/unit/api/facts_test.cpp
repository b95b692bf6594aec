// Phases of a solver and what it tells of them, in C and C++.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spsolve/spsolve.h>
#include <spsolve/spsolve.hpp>

#include "helpers/error_of.hpp"

namespace spsolve::test {
namespace {

using testing::HasSubstr;

TEST(Facts, OfAnIterationAreItsSteps) {
  Options options;
  options.method = Method::cg;
  options.preconditioner = Preconditioner::jacobi;
  Solver solver(Matrix::load("grid2d:20"), options);
  const Solution solution = solver.solve(Dense<double>(400, 1, 1.0));
  EXPECT_GT(solution.steps, 3);
  EXPECT_EQ(std::ssize(solution.history), solution.steps + 1);
  EXPECT_LT(solution.history.back(), solution.history.front());
  EXPECT_GT(solution.seconds, 0);
  EXPECT_GT(solver.report().seconds, 0);
  EXPECT_EQ(solver.report().preconditioner, "jacobi");
  EXPECT_EQ(solver.report().ordering, "");
}

TEST(Facts, AnOrderMayBeAnArray) {
  const Matrix a = Matrix::load("grid2d:9");
  Options options;
  options.method = Method::sparse_lu;
  options.ordering = Ordering::file;
  EXPECT_THAT(test::error_of([&] { Solver(a, options); }), HasSubstr("SolverOptions::order"));
  std::vector<Index> order(81);
  for (Index k = 0; k < 81; ++k) order[k] = (k * 7) % 81;
  options.order = std::make_shared<const std::vector<Index>>(order);
  Solver solver(a, options);
  EXPECT_TRUE(solver.solve(Dense<double>(81, 1, 1.0)).solved);
  EXPECT_EQ(solver.report().ordering, "file");
  order[0] = 81;
  options.order = std::make_shared<const std::vector<Index>>(order);
  EXPECT_THAT(test::error_of([&] { Solver(a, options); }), HasSubstr("names 81 as an unknown"));
  order[0] = 7;
  options.order = std::make_shared<const std::vector<Index>>(order);
  EXPECT_THAT(test::error_of([&] { Solver(a, options); }), HasSubstr("names 7 twice"));
}

class FactsOfC : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(spsolve_matrix_load("grid2d:20", &a), SPSOLVE_OK); }
  void TearDown() override {
    spsolve_solver_free(solver);
    spsolve_matrix_free(a);
  }
  spsolve_matrix* a = nullptr;
  spsolve_solver* solver = nullptr;
};

TEST_F(FactsOfC, PhasesAreOfOneObject) {
  spsolve_options options;
  spsolve_options_init(&options);
  options.method = SPSOLVE_METHOD_SPARSE_CHOLESKY;
  std::vector<std::int64_t> order(400);
  for (int k = 0; k < 400; ++k) order[k] = 399 - k;
  options.ordering = SPSOLVE_ORDERING_FILE;
  options.order = order.data();
  spsolve_plan before{};
  before.size = sizeof before;
  ASSERT_EQ(spsolve_plan_solver(nullptr, a, &options, &before), SPSOLVE_OK);
  EXPECT_EQ(before.ordering, std::string("file"));
  ASSERT_EQ(spsolve_solver_analysed_over(nullptr, a, &options, &solver), SPSOLVE_OK);
  spsolve_plan plan{};
  plan.size = sizeof plan;
  ASSERT_EQ(spsolve_solver_plan(solver, &plan), SPSOLVE_OK);
  EXPECT_EQ(plan.method, std::string("sparse_cholesky"));
  EXPECT_EQ(plan.factor_entries, before.factor_entries);
  EXPECT_EQ(plan.fits, 1);
  EXPECT_GT(plan.bytes, 1000);
  EXPECT_THAT(plan.text, HasSubstr("factors"));
  std::vector<double> x(400, 1.0), values;
  EXPECT_EQ(spsolve_solver_solve(solver, 0, 1, x.data(), x.data(), nullptr), SPSOLVE_INPUT);
  const Matrix same = Matrix::load("grid2d:20");
  for (const double value : same.values()) values.push_back(2 * value);
  ASSERT_EQ(spsolve_solver_set_values(solver, std::ssize(values), values.data()), SPSOLVE_OK);
  ASSERT_EQ(spsolve_solver_solve(solver, 0, 1, x.data(), x.data(), nullptr), SPSOLVE_OK);
  spsolve_report report{};
  report.size = sizeof report;
  ASSERT_EQ(spsolve_solver_report(solver, &report), SPSOLVE_OK);
  EXPECT_EQ(report.method, std::string("sparse_cholesky"));
  EXPECT_EQ(report.factor_entries, plan.factor_entries);
  EXPECT_EQ(report.negative_pivots, 0);
  EXPECT_EQ(report.solves, 1);
  EXPECT_GT(report.solve_seconds, 0);
  EXPECT_EQ(report.history, 0);
  EXPECT_EQ(report.preconditioner, std::string());
}

TEST_F(FactsOfC, HistoriesAreOfIterations) {
  spsolve_options options;
  spsolve_options_init(&options);
  options.method = SPSOLVE_METHOD_CG;
  ASSERT_EQ(spsolve_solver_create(a, &options, &solver), SPSOLVE_OK);
  std::vector<double> x(400, 1.0);
  ASSERT_EQ(spsolve_solver_solve(solver, 0, 1, x.data(), x.data(), nullptr), SPSOLVE_OK);
  spsolve_report report{};
  report.size = sizeof report;
  ASSERT_EQ(spsolve_solver_report(solver, &report), SPSOLVE_OK);
  EXPECT_EQ(report.negative_pivots, -1);
  ASSERT_EQ(report.history, report.steps + 1);
  std::vector<double> history(static_cast<std::size_t>(report.history) + 1, 7.0);
  ASSERT_EQ(spsolve_solver_history(solver, 2, history.data()), SPSOLVE_OK);
  EXPECT_EQ(history[2], 7);
  ASSERT_EQ(spsolve_solver_history(solver, std::ssize(history), history.data()), SPSOLVE_OK);
  EXPECT_LT(history[report.history - 1], history[0]);
  EXPECT_EQ(history.back(), 7);
}

TEST_F(FactsOfC, ProgramsOfOtherVersionsGetWhatTheyKnow) {
  ASSERT_EQ(spsolve_solver_create(a, nullptr, &solver), SPSOLVE_OK);
  spsolve_report report{};
  report.size = offsetof(spsolve_report, pivoting);
  report.flops = 7;
  ASSERT_EQ(spsolve_solver_report(solver, &report), SPSOLVE_OK);
  EXPECT_GT(std::string(report.method).size(), 1u);
  EXPECT_EQ(report.flops, 7) << "beyond what an old program has room for";
  struct Newer {
    spsolve_report known;
    double later;
  } newer{};
  newer.later = 7;
  newer.known.size = sizeof newer;
  ASSERT_EQ(spsolve_solver_report(solver, &newer.known), SPSOLVE_OK);
  EXPECT_EQ(newer.later, 0);
}

TEST_F(FactsOfC, WhatIsMissingIsRefused) {
  spsolve_report report{};
  spsolve_plan plan{};
  double number = 0;
  ASSERT_EQ(spsolve_solver_create(a, nullptr, &solver), SPSOLVE_OK);
  EXPECT_EQ(spsolve_solver_report(nullptr, &report), SPSOLVE_INPUT);
  EXPECT_EQ(spsolve_solver_report(solver, nullptr), SPSOLVE_INPUT);
  EXPECT_EQ(spsolve_solver_report(solver, &report), SPSOLVE_INPUT) << "without a size";
  EXPECT_THAT(spsolve_last_error(), HasSubstr("whose size is set"));
  EXPECT_EQ(spsolve_solver_plan(solver, &plan), SPSOLVE_INPUT);
  EXPECT_EQ(spsolve_solver_plan(nullptr, &plan), SPSOLVE_INPUT);
  plan.size = sizeof plan;
  EXPECT_EQ(spsolve_plan_solver(nullptr, nullptr, nullptr, &plan), SPSOLVE_INPUT);
  EXPECT_THAT(spsolve_last_error(), HasSubstr("there is no matrix"));
  EXPECT_EQ(spsolve_plan_solver(nullptr, a, nullptr, nullptr), SPSOLVE_INPUT);
  EXPECT_EQ(spsolve_solver_history(solver, 1, nullptr), SPSOLVE_INPUT);
  EXPECT_EQ(spsolve_solver_history(solver, -1, &number), SPSOLVE_INPUT);
  EXPECT_EQ(spsolve_solver_history(nullptr, 1, &number), SPSOLVE_INPUT);
  spsolve_solver* none = nullptr;
  EXPECT_EQ(spsolve_solver_analysed_over(nullptr, nullptr, nullptr, &none), SPSOLVE_INPUT);
  EXPECT_EQ(spsolve_solver_analysed_over(nullptr, a, nullptr, nullptr), SPSOLVE_INPUT);
}

}  // namespace
}  // namespace spsolve::test
