// One application of a Krylov method's preconditioner, as programs with an iteration of their own
// take it.

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <spsolve/spsolve.hpp>

#include "helpers/error_of.hpp"
#include "helpers/threads.hpp"
#include "matrix/csr.hpp"

namespace spsolve::test {
namespace {

using Numbers = std::vector<double>;

double dot(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Without a pattern, the same for the same number.
Numbers rough(Index n, double seed) {
  Numbers v(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) v[i] = std::sin(seed + 1.7 * static_cast<double>(i * i % 9973));
  return v;
}

Options options_with(Method method, Preconditioner kind) {
  Options options;
  options.method = method;
  options.preconditioner = kind;
  options.device = Device::host;
  return options;
}

Numbers preconditioned(Solver& solver, const Numbers& b, bool transposed = false) {
  Numbers x(b.size());
  solver.precondition(b, 1, x, transposed);
  return x;
}

/// Steps of conjugate gradients until residuals are 1e-8 of b.
int steps_of_cg(const Matrix& a, Solver& solver, Numbers r) {
  ProductOptions on_host;
  on_host.device = Device::host;
  Product product(a, on_host);
  const double asked = 1e-16 * dot(r, r);
  Numbers z = preconditioned(solver, r), p = z, q(r.size());
  double rz = dot(r, z);
  for (int step = 1; step < 1000; ++step) {
    product.apply(p.data(), q.data(), 1);
    const double alpha = rz / dot(p, q);
    for (std::size_t i = 0; i < r.size(); ++i) r[i] -= alpha * q[i];
    if (dot(r, r) < asked) return step;
    z = preconditioned(solver, r);
    const double next = dot(r, z);
    for (std::size_t i = 0; i < r.size(); ++i) p[i] = z[i] + next / rz * p[i];
    rz = next;
  }
  return 1000;
}

TEST(Precondition, CyclesOfMultigridMakeAnIterationShort) {
  const Matrix a = Matrix::load("grid3d:16");
  const Numbers b = rough(a.rows(), 1), c = rough(a.rows(), 2);
  for (const Method method : {Method::cg, Method::gmres}) {
    Solver solver(a, options_with(method, Preconditioner::multigrid));
    EXPECT_LE(steps_of_cg(a, solver, b), 14);
    const double there = dot(c, preconditioned(solver, b)),
                 back = dot(b, preconditioned(solver, c));
    EXPECT_NEAR(there, back, 1e-12 * std::abs(there));
    // Nothing of it changes solutions.
    Solver other(a, options_with(method, Preconditioner::multigrid));
    const Dense<double> ones(a.rows(), 1, 1.0);
    EXPECT_EQ(solver.solve(ones).x.values, other.solve(ones).x.values);
  }
  Solver plain(a, options_with(Method::cg, Preconditioner::none));
  EXPECT_GT(steps_of_cg(a, plain, b), 30);
  EXPECT_EQ(preconditioned(plain, b), b);
}

/// Rows and columns of a mesh far apart in size; with `boundary` two rows that hold their diagonal
/// alone, whose columns have entries.
Matrix scaled_mesh(bool boundary) {
  const Matrix mesh = Matrix::load("grid2d:9");
  std::vector<Index> rows, columns;
  Numbers values;
  const auto& csr = mesh.csr();
  for (Index i = 0; i < mesh.rows(); ++i) {
    for (Index k = csr.row_offsets[i]; k < csr.row_offsets[i + 1]; ++k) {
      const Index j = csr.column_indices[k];
      if (boundary && i % 40 == 3 && i != j) continue;
      rows.push_back(i);
      columns.push_back(j);
      const double scale = std::ldexp(j < i ? 0.7 : 1, static_cast<int>(i % 7 - 2 * (j % 5)));
      values.push_back((boundary ? 1 : scale) * csr.values[k]);
    }
  }
  return Matrix::from_entries(mesh.rows(), mesh.rows(), rows, columns, values);
}

TEST(Precondition, IsThatOfTheMatrixAsItWasGiven) {
  for (const bool boundary : {false, true}) {
    const Matrix a = scaled_mesh(boundary);
    const Numbers b = rough(a.rows(), 3);
    const Method method = boundary ? Method::cg : Method::gmres;
    Solver near(a, options_with(method, Preconditioner::elimination));
    Options exactly;
    exactly.method = Method::sparse_lu;
    Solver exact(a, exactly);
    for (const bool transposed : {false, true}) {
      SCOPED_TRACE(boundary ? "boundary" : "scaled");
      Numbers x(b.size());
      exact.solve(b, 1, x, transposed);
      const Numbers y = preconditioned(near, b, transposed);
      double error = 0, size = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        error = std::max(error, std::abs(y[i] - x[i]));
        size = std::max(size, std::abs(x[i]));
      }
      EXPECT_LT(error, 1e-4 * size);
      EXPECT_GT(error, 0) << "it is float's";
    }
  }
}

using Complexes = std::vector<std::complex<double>>;

Complexes rough_complexes(Index n, double seed) {
  const Numbers real = rough(n, seed), imaginary = rough(n, seed + 0.7);
  Complexes v(real.size());
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = {real[i], imaginary[i]};
  return v;
}

Complexes preconditioned(Solver& solver, const Complexes& b,
                         Transposition of = Transposition::none) {
  Complexes x(b.size());
  solver.precondition(b, 1, x, of);
  return x;
}

double distance(const Complexes& a, const Complexes& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

constexpr Transposition sides[] = {Transposition::none, Transposition::transposed,
                                   Transposition::adjoint};

TEST(Precondition, TakesComplexNumbers) {
  // Of a real A, too; M is A in float, but for rounding.
  for (const char* matrix : {"magnetic2d:12", "zhelm2d:12", "grid2d:12"}) {
    const Matrix a = Matrix::load(matrix);
    const Complexes b = rough_complexes(a.rows(), 6);
    Solver near(a, options_with(Method::gmres, Preconditioner::elimination));
    Options exactly;
    exactly.method = Method::sparse_lu;
    Solver exact(a, exactly);
    for (const Transposition of : sides) {
      SCOPED_TRACE(matrix);
      Complexes x(b.size());
      exact.solve(b, 1, x, of);
      const double error = distance(preconditioned(near, b, of), x);
      EXPECT_LT(error, 1e-3 * distance(x, Complexes(x.size())));
      EXPECT_GT(error, 0) << "it is float's";
    }
  }
}

TEST(Precondition, CyclesOfComplexNumbersAreTransposed) {
  const auto dot = [](const Complexes& y, const Complexes& x) {
    std::complex<double> sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += y[i] * x[i];
    return sum;
  };
  const auto conjugated = [](Complexes x) {
    for (auto& z : x) z = std::conj(z);
    return x;
  };
  for (const char* matrix : {"magnetic2d:16", "zhelm2d:16"}) {
    SCOPED_TRACE(matrix);
    const Matrix a = Matrix::load(matrix);
    Solver solver(a, options_with(Method::bicgstab, Preconditioner::multigrid));
    const Complexes b = rough_complexes(a.rows(), 7), c = rough_complexes(a.rows(), 8);
    const Complexes of_c = preconditioned(solver, c, Transposition::transposed);
    const std::complex<double> there = dot(c, preconditioned(solver, b));
    EXPECT_LT(std::abs(there - dot(b, of_c)), 1e-12 * std::abs(there));
    EXPECT_LT(
        distance(preconditioned(solver, conjugated(c), Transposition::adjoint), conjugated(of_c)),
        1e-12 * distance(of_c, Complexes(c.size())));
    // Columns at once.
    Complexes columns(2 * b.size()), both(columns.size());
    for (std::size_t i = 0; i < b.size(); ++i) columns[2 * i] = b[i], columns[2 * i + 1] = c[i];
    solver.precondition(columns, 2, both, Transposition::transposed);
    Complexes second(c.size());
    for (std::size_t i = 0; i < c.size(); ++i) second[i] = both[2 * i + 1];
    EXPECT_LT(distance(second, of_c), 1e-12 * distance(of_c, Complexes(c.size())));
  }
}

TEST(Precondition, FollowsNewValues) {
  const Matrix a = Matrix::load("grid2d:12");
  Solver solver = Solver::analysed(a, options_with(Method::cg, Preconditioner::multigrid));
  const Numbers b = rough(a.rows(), 4);
  test::error_of([&] { preconditioned(solver, b); });
  Numbers values(a.values().begin(), a.values().end());
  solver.set_values(values);
  const Numbers before = preconditioned(solver, b);
  for (double& value : values) value *= 4;
  solver.set_values(values);
  const Numbers after = preconditioned(solver, b);
  for (std::size_t i = 0; i < b.size(); ++i) {
    EXPECT_NEAR(4 * after[i], before[i], 1e-12 * std::abs(before[i]) + 1e-14);
  }
  // Not symmetric, as cg wants it.
  Numbers bad = values;
  bad[1] = 5;
  test::error_of([&] { solver.set_values(bad); });
  test::error_of([&] { preconditioned(solver, b); });
  solver.set_values(values);
  EXPECT_EQ(preconditioned(solver, b), after);
}

TEST(Precondition, IsRefusedWhereThereIsNone) {
  const Matrix a = Matrix::load("grid2d:6");
  const Numbers b = rough(a.rows(), 5);
  for (const Method method : {Method::automatic, Method::sparse_lu, Method::lu, Method::gauss}) {
    Solver solver(a, options_with(method, Preconditioner::automatic));
    EXPECT_NE(
        test::error_of([&] { preconditioned(solver, b); }).find("has no preconditioner to apply"),
        std::string::npos);
  }
  const std::complex<double> one(1, 1);
  const Index offsets[] = {0, 1}, columns[] = {0};
  Solver of_complex(Matrix::from_rows(1, 1, offsets, columns, std::span(&one, 1)),
                    options_with(Method::gmres, Preconditioner::jacobi));
  Numbers x(1, 1.0);
  EXPECT_NE(
      test::error_of([&] { preconditioned(of_complex, x); }).find("give them as complex numbers"),
      std::string::npos);
  Solver solver(a, options_with(Method::cg, Preconditioner::jacobi));
  Numbers longer(b.size() + 1), right = b;
  test::error_of([&] { solver.precondition(b, 1, longer); });
  test::error_of([&] { solver.precondition(b, 0, longer); });
  right[3] = std::numeric_limits<double>::quiet_NaN();
  test::error_of([&] { preconditioned(solver, right); });
  EXPECT_EQ(preconditioned(solver, b)[5], b[5] / 4);
}

}  // namespace
}  // namespace spsolve::test
