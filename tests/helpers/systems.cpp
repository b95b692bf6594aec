#include "helpers/systems.hpp"

#include <cmath>

#include <fmt/format.h>

#include "helpers/reference.hpp"
#include "helpers/test_matrices.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/multivector.hpp"

namespace spsolve::test {

namespace {

template <typename Scale>
Csr<double> scaled_random(Index n, Index seed, const Scale& scale) {
  Dense<double> dense = random_multivector(n, n, seed);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) dense(i, j) *= scale(i, j);
  }
  return sparse(dense);
}

/// [H B; B^T 0] with a diagonal H: zeros on the lower half of the diagonal.
Csr<double> saddle_point(Index n) {
  Dense<double> dense(n, n);
  const Index upper = 2 * n / 3;
  const Dense<double> coupling = random_multivector(upper, n - upper, 41);
  for (Index i = 0; i < upper; ++i) {
    dense(i, i) = 1.0 + static_cast<double>(i % 5);
    for (Index j = 0; j < n - upper; ++j) {
      dense(i, upper + j) = dense(upper + j, i) = coupling(i, j);
    }
  }
  return sparse(dense);
}

/// A sum of n - 1 rank-one matrices and 1e-12 times another: one tiny singular value.
Csr<double> nearly_singular(Index n) {
  Dense<double> dense = random_multivector(n, n, 42);
  for (Index j = 0; j < n; ++j) {
    double sum = 0;
    for (Index i = 0; i + 1 < n; ++i) sum += dense(i, j);
    dense(n - 1, j) = sum + 1e-12 * dense(n - 1, j);
  }
  return sparse(dense);
}

}  // namespace

std::vector<System> difficult_systems(Index n) {
  const auto decades = [n](Index i) { return std::pow(10.0, -12.0 * static_cast<double>(i) / n); };
  return {
      {"random", scaled_random(n, 1, [](Index, Index) { return 1.0; })},
      {"graded", scaled_random(n, 2, [&](Index i, Index j) { return decades(i) * decades(j); })},
      {"row scaled", scaled_random(n, 3, [&](Index i, Index) { return decades((7 * i) % n); })},
      {"gfpp", generate_matrix(fmt::format("gfpp:{}", n))},
      {"saddle point", saddle_point(n)},
      {"nearly singular", nearly_singular(n)},
  };
}

Csr<double> with_condition(Index n, double condition, Index seed) {
  Dense<double> a(n, n);
  for (Index i = 0; i < n; ++i) {
    a(i, i) = std::pow(condition, -static_cast<double>(i) / static_cast<double>(n - 1));
  }
  for (const bool from_left : {true, false}) {
    const Dense<double> v = random_multivector(n, 1, seed + (from_left ? 0 : 1));
    double length = 0;
    for (const double value : v.values) length += value * value;
    for (Index k = 0; k < n; ++k) {
      double product = 0;
      for (Index i = 0; i < n; ++i) product += v(i, 0) * (from_left ? a(i, k) : a(k, i));
      for (Index i = 0; i < n; ++i) {
        (from_left ? a(i, k) : a(k, i)) -= 2 / length * product * v(i, 0);
      }
    }
  }
  return sparse(a);
}

}  // namespace spsolve::test
