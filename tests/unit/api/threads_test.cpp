// The threads of a program that uses the library: those of its BLAS, and those of the processes
// that it makes by fork().

#include "helpers/threads.hpp"

#include <cstdio>
#include <exception>
#include <functional>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>
#include <spsolve/spsolve.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "core/blas/blas.hpp"

namespace spsolve::test {
namespace {

/// The exit code of a child that hands back `work()`; -1 where a signal ended it, 2 where it threw.
/// One that waits for ever is ended.
int code_of_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(600);
    try {
      ::_exit(work());
    } catch (const std::exception& error) {
      std::fprintf(stderr, "in the child: %s\n", error.what());
    }
    ::_exit(2);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Forks, TheChildOfAProcessThatHasSolvedSolves) {
  const Threads several(3);
  for (const auto& [spec, method] :
       {std::pair("random_dense:300", Method::lu), std::pair("random_dense:100", Method::gauss),
        std::pair("grid3d:10", Method::sparse_lu), std::pair("grid2d:60", Method::cg)}) {
    SCOPED_TRACE(spec);
    const Matrix a = Matrix::load(spec);
    Options options;
    options.method = method;
    options.device = Device::host;  // a GPU of its parent a child cannot use
    Solver solver(a, options);
    const Dense<double> b(a.rows(), 1, 1.0);
    const std::vector<double> x = solver.solve(b).x.values;
    const int code = code_of_child([&] {
      const bool again = solver.solve(b).x.values == x;
      const bool anew = Solver(a, options).solve(b).x.values == x;
      const bool multiplied = Product(a).apply(b).rows == a.rows();
      return again && anew && multiplied ? 17 : 1;
    });
    EXPECT_EQ(code, 17);
    EXPECT_EQ(solver.solve(b).x.values, x);
  }
}

TEST(Forks, AChildHasThreadsAsItsParent) {
  const Threads several(3);
  const auto count = [] {
    int threads = 0;
#pragma omp parallel reduction(+ : threads)
    ++threads;
    return threads;
  };
  const Matrix a = Matrix::load("grid2d:5");  // what brings the library in
  EXPECT_EQ(count(), 3);
  EXPECT_EQ(code_of_child(count), 3);
  EXPECT_EQ(count(), 3);
}

TEST(UsersThreads, AreAsTheyWereAfterEachCall) {
  if (blas::threads() == 0) GTEST_SKIP() << "this BLAS does not tell how many threads it takes";
  const Threads several(3);
  blas::set_threads(2);
  omp_set_num_threads(3);
  const auto check = [](const char* call) {
    EXPECT_EQ(blas::threads(), 2) << call;
    EXPECT_EQ(omp_get_max_threads(), 3) << call;
  };
  const Matrix a = Matrix::load("random_dense:60");
  const Dense<double> b(60, 1, 1.0);
  const std::vector<double> zeros(3600, 0.0);
  for (const Method method : {Method::automatic, Method::lu, Method::sparse_lu, Method::gmres}) {
    Options options;
    options.method = method;
    plan_solver(a, options);
    check("plan_solver");
    Solver solver(a, options);
    check("Solver");
    solver.solve(b);
    check("solve");
    solver.solve_transposed(b);
    check("solve_transposed");
    solver.set_values(a.values());
    check("set_values");
    try {
      solver.set_values(zeros);
    } catch (const Error&) {
      check("set_values that failed");
    }
  }
  Product(a).apply(b);
  check("Product");
  blas::set_threads(omp_get_num_procs());
}

}  // namespace
}  // namespace spsolve::test
