// The claims of solutions about their errors, compared with solutions that are known exactly:
// systems of small whole numbers, A x = b without rounding, times powers of two.

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <spsolve/spsolve.hpp>

#include "helpers/threads.hpp"

namespace spsolve::test {
namespace {

/// n x n, about a half of the entries zero, row by row; a symmetric one has a heavy diagonal.
std::vector<double> whole_numbers(Index n, bool symmetric, std::mt19937& random) {
  std::uniform_int_distribution<int> number(-3, 3);
  std::vector<double> a(static_cast<std::size_t>(n * n));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const bool is_copy = symmetric && j < i;
      const int value = number(random);
      a[i * n + j] = is_copy ? a[j * n + i] : random() % 2 == 0 ? value : 0;
    }
    a[i * n + i] += symmetric ? 16 : 4;
  }
  return a;
}

struct Exact {
  Matrix a;
  Dense<double> b, x;
};

/// A = diag(2^r) A_0 diag(2^c), x = diag(2^-c) x_0 2^t, b = A x: nothing is rounded, as long as
/// nothing is smaller than a double can be.
Exact scaled_system(std::mt19937& random, bool symmetric, const std::function<int(Index)>& r,
                    const std::function<int(Index)>& c, int t) {
  const Index n = 2 + static_cast<Index>(random() % 8);
  const std::vector<double> numbers = whole_numbers(n, symmetric, random);
  std::vector<Index> offsets{0}, columns;
  std::vector<double> values;
  Dense<double> b(n, 1), x(n, 1), x0(n, 1);
  for (Index i = 0; i < n; ++i) {
    x0(i, 0) = 1 + static_cast<double>(random() % 9);
    x(i, 0) = std::ldexp(x0(i, 0), t - c(i));
  }
  for (Index i = 0; i < n; ++i) {
    double sum = 0;
    for (Index j = 0; j < n; ++j) {
      const double value = numbers[i * n + j];
      if (value == 0) continue;
      columns.push_back(j);
      values.push_back(std::ldexp(value, r(i) + c(j)));
      sum += value * x0(j, 0);
    }
    offsets.push_back(static_cast<Index>(columns.size()));
    b(i, 0) = std::ldexp(sum, r(i) + t);
  }
  return {Matrix::from_rows(n, n, offsets, columns, values), b, x};
}

/// max |x_i - x*_i| / max |x*_i|
double error_of(const Dense<double>& x, const Dense<double>& exact) {
  double most = 0, size = 0;
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    size = std::max(size, std::abs(exact.values[i]));
    most = std::max(most, std::abs(x.values[i] - exact.values[i]));
  }
  return most / size;
}

struct Case {
  const char* name;
  int rows, columns, all, right;  ///< exponents: up to +-rows, +-columns; all of A; of x
};

class Claims : public testing::TestWithParam<Case> {};

TEST_P(Claims, AreNoBetterThanTheTruth) {
  const Case& scale = GetParam();
  const bool both = scale.rows != 0 && scale.columns != 0;
  std::mt19937 random(7);
  // Too small for several threads, which wait for each other on a busy machine.
  const test::Threads alone(1);
  int solved = 0;
  for (int round = 0; round < 20; ++round) {
    const bool symmetric = round % 2 == 0;
    const auto exponents = [&](int most) {
      std::vector<int> all(10);
      for (int& one : all) one = most == 0 ? 0 : static_cast<int>(random() % (2 * most + 1)) - most;
      return all;
    };
    const std::vector<int> rows = exponents(scale.rows), columns = exponents(scale.columns);
    const Exact system = scaled_system(
        random, symmetric, [&](Index i) { return rows[i] + scale.all; },
        [&](Index j) { return both && symmetric ? rows[j] : columns[j]; }, scale.right);
    for (const Method method :
         {Method::automatic, Method::gauss, Method::gauss_jordan, Method::lu, Method::sparse_ldlt,
          Method::sparse_lu, Method::gmres, Method::bicgstab, Method::idr, Method::minres}) {
      const bool wants_symmetry = method == Method::sparse_ldlt || method == Method::minres;
      const bool is_symmetric = symmetric && (both || (scale.rows == 0 && scale.columns == 0));
      if (wants_symmetry && !is_symmetric) continue;
      Options options;
      options.method = method;
      Solver solver(system.a, options);
      const Solution solution = solver.solve(system.b);
      if (!solution.solved) continue;
      ++solved;
      const double error = error_of(solution.x, system.x);
      const double known = std::isfinite(solution.forward_error_estimate)
                               ? solution.forward_error_estimate
                               : solution.forward_error_bound;
      // Estimates by one correction: that of an iteration is less sure, and how far it is off
      // changes with the rounding of the processor at hand.
      const double too_good = method >= Method::cg ? 100 : 10;
      EXPECT_LE(error, too_good * std::max(known, 0x1p-53))
          << "method " << static_cast<int>(method) << ", round " << round;
      EXPECT_LT(error, 0.1) << "method " << static_cast<int>(method) << ", round " << round;
    }
  }
  EXPECT_GT(solved, 20);
}

INSTANTIATE_TEST_SUITE_P(
    Scales, Claims,
    testing::Values(Case{"none", 0, 0, 0, 0}, Case{"tiny_b", 0, 0, 0, -1060},
                    Case{"tiny_a", 0, 0, -1060, 0}, Case{"tiny_both", 0, 0, -1000, -50},
                    Case{"huge_a", 0, 0, 1000, 0}, Case{"huge_a_tiny_b", 0, 0, 1000, -1040},
                    Case{"huge_b", 0, 0, 0, 1000}, Case{"rows", 300, 0, 0, 0},
                    Case{"columns", 0, 300, 0, 0}, Case{"both", 150, 150, 0, 0},
                    Case{"rows_tiny_b", 200, 0, 0, -800}, Case{"both_tiny_b", 100, 100, 0, -850}),
    [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace spsolve::test
