// Whoever is told of steps, and ends a call at one: over ranks all of them end.

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spsolve/mpi.hpp>
#include <spsolve/spsolve.h>
#include <spsolve/spsolve.hpp>
#include <spsolve/spsolve_mpi.h>

#include "helpers/error_of.hpp"

namespace spsolve::test {
namespace {

using testing::HasSubstr;

class OnStep : public testing::TestWithParam<Method> {
 protected:
  Options by(Method method) const {
    Options options;
    options.method = method;
    return options;
  }
  const Ranks ranks = ranks_of(MPI_COMM_WORLD);
  const bool last = ranks.rank() == ranks.size() - 1;
  const Matrix a = ranks.rank() == 0 ? Matrix::load("grid2d:24") : Matrix();
};

INSTANTIATE_TEST_SUITE_P(Methods, OnStep,
                         testing::Values(Method::gauss, Method::lu, Method::sparse_cholesky,
                                         Method::sparse_ldlt, Method::sparse_lu, Method::cg,
                                         Method::minres, Method::gmres, Method::bicgstab,
                                         Method::idr, Method::block_cg),
                         [](const auto& tested) {
                           return std::to_string(static_cast<int>(tested.param));
                         });

bool iterates(Method method) {
  return method >= Method::cg;
}

TEST_P(OnStep, HearsOfAllTasks) {
  std::map<std::string, SolverStep> latest;
  Options options = by(GetParam());
  bool good = true;
  options.on_step = [&](const SolverStep& step) {
    SolverStep& before = latest[step.task];
    good = good && step.fraction >= 0 && step.fraction <= 1 && step.seconds >= 0 &&
           (step.steps == 0 || step.step <= step.steps) &&
           (step.task == "estimating" || step.step >= before.step) &&
           (step.task != "iterating" || step.step == 0 || step.backward_error >= 0);
    before = step;
    return true;
  };
  Solver solver(a, options, ranks);
  EXPECT_TRUE(latest.contains("analysing"));
  EXPECT_EQ(latest.contains("eliminating"), !iterates(GetParam()));
  Dense<double> b(solver.own().size(), 1, 1.0);
  EXPECT_TRUE(solver.solve(b).solved);
  if (iterates(GetParam())) {
    EXPECT_GT(latest.at("iterating").step, 5);
    latest.erase("iterating");
    EXPECT_TRUE(solver.solve(b).solved);
    EXPECT_GT(latest.at("iterating").step, 5) << "of later right-hand sides, too";
  } else if (ranks.size() == 1) {
    EXPECT_EQ(latest.at("eliminating").step, latest.at("eliminating").steps);
    EXPECT_GT(latest.at("eliminating").fraction, 0.999999);
  }
  EXPECT_TRUE(good);
}

TEST_P(OnStep, EndsTheCallOnAllRanksByTheWishOfOne) {
  Options options = by(GetParam());
  bool ends = true;
  Index from = 0;
  // Of the ranks that eliminate: of a small sparse system that is rank 0 alone.
  options.on_step = [&](const SolverStep& step) {
    const bool wants = ends && (last || from > 0);
    return !wants || step.task == "analysing" || step.step < from;
  };
  Solver solver = Solver::analysed(a, options, ranks);
  const Range own = solver.own();
  std::vector<double> own_values;
  for (Index i = own.first; i < own.last; ++i) {
    // The Laplacian of a grid with 24 x 24 nodes, columns ascending.
    const Index row = i / 24, column = i % 24;
    if (row > 0) own_values.push_back(-1);
    if (column > 0) own_values.push_back(-1);
    own_values.push_back(4);
    if (column < 23) own_values.push_back(-1);
    if (row < 23) own_values.push_back(-1);
  }
  Dense<double> b(own.size(), 1, 1.0);
  for (const Index step : {0, 2}) {
    from = step;
    ends = true;
    const auto work = [&] {
      solver.set_values(own_values);
      solver.solve(b);
    };
    EXPECT_THAT(error_of(work, ExitCode::interrupted), HasSubstr("stopped while"));
    EXPECT_THAT(error_of([&] { solver.solve(b); }), HasSubstr("stopped while"))
        << "the object refuses";
    ends = false;
    solver.set_values(own_values);
    EXPECT_TRUE(solver.solve(b).solved);
  }
}

TEST_F(OnStep, LeavesALaterIterationToBeginAgain) {
  bool ends = false;
  Options options = by(Method::cg);
  if (last) {
    options.on_step = [&](const SolverStep& step) { return !ends || step.step < 3; };
  }
  Solver solver(a, options, ranks);
  Dense<double> b(solver.own().size(), 1, 1.0);
  const std::vector<double> x = solver.solve(b).x.values;
  ends = true;
  EXPECT_THAT(error_of([&] { solver.solve(b); }, ExitCode::interrupted), HasSubstr("at step 3 of"));
  ends = false;
  EXPECT_EQ(solver.solve(b).x.values, x);
}

TEST_F(OnStep, LetsItsExceptionsThrough) {
  struct Own : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  for (const Method method : {Method::sparse_lu, Method::lu, Method::cg}) {
    Options options = by(method);
    if (last) {
      options.on_step = [](const SolverStep& step) -> bool {
        if (step.task == "analysing") return true;
        throw Own("mine");
      };
    }
    const auto work = [&] {
      Solver solver(a, options, ranks);
      solver.solve(Dense<double>(solver.own().size(), 1, 1.0));
    };
    if (last) {
      EXPECT_THROW(work(), Own);
    } else {
      EXPECT_THAT(error_of(work, ExitCode::interrupted), HasSubstr("stopped while"));
    }
  }
}

TEST_F(OnStep, EndsAnAnalysis) {
  Options options;
  if (last) options.on_step = [](const SolverStep&) { return false; };
  EXPECT_THAT(error_of([&] { plan_solver(a, options, ranks); }, ExitCode::interrupted),
              HasSubstr("stopped while analysing"));
  EXPECT_THAT(error_of([&] { Solver(a, options, ranks); }, ExitCode::interrupted),
              HasSubstr("stopped while analysing"));
}

/// The steps that a function of C has heard of, and the one that it stops at.
struct Heard {
  int steps = 0, last = 0;
};

extern "C" int hear(const spsolve_step* step, void* data) {
  auto& heard = *static_cast<Heard*>(data);
  EXPECT_GT(std::string(step->task).size(), 3u);
  return ++heard.steps == heard.last ? 1 : 0;
}

TEST_F(OnStep, IsAFunctionOfC) {
  spsolve_ranks* over = nullptr;
  spsolve_matrix* matrix = nullptr;
  spsolve_solver* solver = nullptr;
  ASSERT_EQ(spsolve_ranks_of(MPI_COMM_WORLD, &over), SPSOLVE_OK);
  if (ranks.rank() == 0) {
    ASSERT_EQ(spsolve_matrix_load("grid2d:24", &matrix), SPSOLVE_OK);
  }
  Heard heard;
  spsolve_options options;
  spsolve_options_init(&options);
  options.method = SPSOLVE_METHOD_SPARSE_LU;
  options.on_step = last ? hear : nullptr;
  options.on_step_data = &heard;
  EXPECT_EQ(spsolve_solver_create_over(over, matrix, &options, &solver), SPSOLVE_OK);
  EXPECT_EQ(heard.steps > 1, last);
  spsolve_solver_free(solver);
  heard = {0, ranks.size() > 1 ? 2 : 4};  // rank 0 hears of two steps within its analysis
  EXPECT_EQ(spsolve_solver_create_over(over, matrix, &options, &solver), SPSOLVE_INTERRUPTED);
  EXPECT_THAT(spsolve_last_error(), HasSubstr("stopped while eliminating"));
  EXPECT_EQ(solver, nullptr);
  spsolve_matrix_free(matrix);
  spsolve_ranks_free(over);
}

}  // namespace
}  // namespace spsolve::test
