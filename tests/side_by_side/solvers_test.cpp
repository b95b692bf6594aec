// A program that solves many systems at once, each in a thread of its own with the threads that it
// makes: as by itself, to the bit.

#include <complex>
#include <functional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>
#include <spsolve/spsolve.hpp>

namespace spsolve {
namespace {

using Complex = std::complex<double>;

struct Work {
  const char* matrix;
  Method method;
  Preconditioner preconditioner = Preconditioner::automatic;
  Precision precision = Precision::float64;
};

const std::vector<Work>& all_work() {
  static const std::vector<Work> all{
      {"convdiff3d:7", Method::sparse_lu},
      {"circuit:600", Method::automatic},
      {"grid3d:7", Method::sparse_cholesky},
      {"kkt:300", Method::sparse_ldlt},
      {"grid2d:24", Method::cg, Preconditioner::multigrid},
      {"grid2d:17", Method::minres, Preconditioner::jacobi},
      {"convdiff3d:6", Method::gmres, Preconditioner::ilu0},
      {"convdiff3d:6", Method::bicgstab, Preconditioner::elimination},
      {"random_dense:70", Method::lu, Preconditioner::automatic, Precision::mixed},
      {"random_dense:50", Method::gauss_jordan},
      {"zconvdiff2d:12", Method::sparse_lu},
      {"zhelm2d:10", Method::cocr, Preconditioner::jacobi},
  };
  return all;
}

/// Solutions for A, for other values of its pattern, and A times the last one.
std::vector<double> done(const Work& work) {
  const Matrix a = Matrix::load(work.matrix);
  Options options;
  options.method = work.method;
  options.preconditioner = work.preconditioner;
  options.precision = work.precision;
  options.device = Device::host;
  Solver solver(a, options);
  std::vector<double> results;
  const auto append = [&](std::span<const double> more) {
    results.insert(results.end(), more.begin(), more.end());
  };
  if (a.is_complex()) {
    const std::vector<Complex> b(static_cast<std::size_t>(a.rows()), Complex(1, -2));
    std::vector<Complex> x(b.size());
    for (int round = 0; round < 2; ++round) {
      EXPECT_TRUE(solver.solve(b, 1, x).solved) << work.matrix;
      append({reinterpret_cast<const double*>(x.data()), 2 * x.size()});
      std::vector<Complex> values = a.complex_values();
      for (Complex& value : values) value *= 1.5;
      solver.set_values(values);
    }
    return results;
  }
  const Dense<double> b(a.rows(), 2, 1.0);
  for (int round = 0; round < 2; ++round) {
    const Solution solution = solver.solve(b);
    EXPECT_TRUE(solution.solved) << work.matrix;
    append(solution.x.values);
    std::vector<double> values(a.values().begin(), a.values().end());
    for (double& value : values) value *= 1.5;
    solver.set_values(values);
    ProductOptions on_host;
    on_host.device = Device::host;
    on_host.kernel = "csr_grouped";  // `auto` may choose otherwise on a busy machine
    append(Product(a, on_host).apply(solution.x).values);
  }
  return results;
}

TEST(SideBySide, TwelveSolversOfTwelveThreadsSolveAsEachAlone) {
  std::vector<std::vector<double>> alone, together(all_work().size());
  for (const Work& work : all_work()) alone.push_back(done(work));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < all_work().size(); ++i) {
    threads.emplace_back([&, i] {
      omp_set_num_threads(1 + static_cast<int>(i % 3));
      together[i] = done(all_work()[i]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < all_work().size(); ++i) {
    EXPECT_EQ(together[i], alone[i]) << all_work()[i].matrix;
  }
}

TEST(SideBySide, FailuresOfOneAreItsOwn) {
  std::vector<int> right(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < right.size(); ++i) {
    threads.emplace_back([&, i] {
      omp_set_num_threads(2);
      const Matrix a = Matrix::load("grid2d:12");
      Options options;
      options.method = i % 2 == 0 ? Method::sparse_lu : Method::sparse_cholesky;
      options.device = Device::host;
      Solver solver(a, options);
      std::vector<double> values(a.values().begin(), a.values().end());
      const Dense<double> b(a.rows(), 1, 1.0);
      const std::vector<double> x = solver.solve(b).x.values;
      try {
        solver.set_values(std::vector<double>(values.size(), 0.0));
        return;
      } catch (const Error&) {
      }
      solver.set_values(values);
      right[i] = solver.solve(b).x.values == x ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, std::vector<int>(right.size(), 1));
}

}  // namespace
}  // namespace spsolve
