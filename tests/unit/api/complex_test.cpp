// Complex systems through the interfaces for C++ and C.

#include <complex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spsolve/spsolve.h>
#include <spsolve/spsolve.hpp>

#include "helpers/error_of.hpp"

namespace spsolve {
namespace {

using Complex = std::complex<double>;
using test::error_of;
using testing::HasSubstr;

/// Row by row, with an entry that is named twice.
struct Entries {
  std::vector<Index> row{0, 0, 0, 1, 1, 2, 2, 2}, column{0, 2, 2, 0, 1, 0, 1, 2};
  std::vector<Complex> value{{3, 1}, {0, 1}, {0.5, 0}, {-1, 2}, {0, 4}, {1, 1}, {2, -1}, {5, 0}};
};

/// op(A) x for the entries.
std::vector<Complex> product(const Entries& a, const std::vector<Complex>& x, Transposition of) {
  std::vector<Complex> y(x.size());
  for (std::size_t k = 0; k < a.value.size(); ++k) {
    const bool turns = of != Transposition::none;
    const Index to = turns ? a.column[k] : a.row[k], from = turns ? a.row[k] : a.column[k];
    y[to] += (of == Transposition::adjoint ? std::conj(a.value[k]) : a.value[k]) * x[from];
  }
  return y;
}

void expect_near(const std::vector<Complex>& x, const std::vector<Complex>& y) {
  ASSERT_EQ(x.size(), y.size());
  for (std::size_t k = 0; k < x.size(); ++k) EXPECT_LT(std::abs(x[k] - y[k]), 1e-13) << k;
}

constexpr Transposition all[] = {Transposition::none, Transposition::transposed,
                                 Transposition::adjoint};

TEST(ComplexSolver, SolvesWithTheMatrixItsTransposeAndItsAdjoint) {
  for (const bool symmetric : {false, true}) {
    Entries a;
    if (symmetric) {
      a.row = {0, 0, 1, 1, 2};
      a.column = {0, 1, 0, 1, 2};
      a.value = {{1, 2}, {3, 4}, {3, 4}, {0, 1}, {2, 0}};
    }
    const Matrix matrix =
        Matrix::from_entries(3, 3, a.row, a.column, std::span<const Complex>(a.value));
    EXPECT_TRUE(matrix.is_complex());
    EXPECT_EQ(matrix.rows(), 3);
    EXPECT_EQ(matrix.nonzeros(), symmetric ? 5 : 7);
    EXPECT_EQ(matrix.complex_values()[1], symmetric ? Complex(3, 4) : Complex(0.5, 1));
    for (const Method method : {Method::automatic, Method::sparse_lu, Method::lu}) {
      Options options;
      options.method = method;
      Solver solver(matrix, options);
      EXPECT_EQ(solver.order(), 3);
      for (const Transposition of : all) {
        Dense<Complex> b(3, 2);
        for (Index i = 0; i < 3; ++i) b(i, 0) = {1.0 + double(i), 2.0}, b(i, 1) = {0.0, -double(i)};
        const Solution solution = solver.solve(b, of);
        EXPECT_TRUE(solution.solved);
        for (Index c = 0; c < 2; ++c) {
          std::vector<Complex> x, right;
          for (Index i = 0; i < 3; ++i) {
            x.push_back(solution.complex_x(i, c));
            right.push_back(b(i, c));
          }
          expect_near(product(a, x, of), right);
        }
      }
      // New values, by which a symmetric matrix need not stay one.
      std::vector<Complex> values = matrix.complex_values();
      for (Complex& value : values) value *= Complex(0, 2);
      values[1] += symmetric ? 1 : 0;
      solver.set_values(std::span<const Complex>(values));
      Dense<Complex> b(3, 1, Complex(1, -1));
      const Solution solution = solver.solve(b);
      Entries changed = a;
      if (!symmetric) {
        changed.row.erase(changed.row.begin() + 1);
        changed.column.erase(changed.column.begin() + 1);
      }
      changed.value = values;
      expect_near(product(changed, solution.complex_x.values, Transposition::none), b.values);
    }
  }
}

TEST(ComplexSolver, TakesComplexRightHandSidesOfARealMatrix) {
  Solver solver(Matrix::load("grid2d:3"));
  Dense<Complex> b(9, 2);
  for (std::size_t k = 0; k < b.values.size(); ++k) b.values[k] = {double(k), 1.0 - double(k)};
  Dense<double> real(9, 2), imaginary(9, 2);
  for (std::size_t k = 0; k < b.values.size(); ++k) {
    real.values[k] = b.values[k].real();
    imaginary.values[k] = b.values[k].imag();
  }
  const Solution x = solver.solve(b), re = solver.solve(real), im = solver.solve(imaginary);
  for (std::size_t k = 0; k < b.values.size(); ++k) {
    EXPECT_NEAR(x.complex_x.values[k].real(), re.x.values[k], 1e-13);
    EXPECT_NEAR(x.complex_x.values[k].imag(), im.x.values[k], 1e-13);
  }
}

TEST(ComplexSolver, RefusesRealNumbersAndOtherDoors) {
  const Matrix matrix = Matrix::load("zhelm2d:3");
  Solver solver(matrix);
  EXPECT_THAT(error_of([&] { solver.solve(Dense<double>(9, 1)); }),
              HasSubstr("right-hand sides are real"));
  EXPECT_THAT(error_of([&] { solver.set_values(std::vector<double>(33)); }),
              HasSubstr("values are real"));
  EXPECT_THAT(error_of([&] { solver.set_values(std::vector<Complex>(32)); }),
              HasSubstr("32 values"));
  EXPECT_THAT(error_of([&] { matrix.values(); }), HasSubstr("complex_values()"));
  EXPECT_THAT(error_of([&] { Product product(matrix); }), HasSubstr("a Product takes real ones"));
  Options options;
  options.first_guess = Dense<double>(9, 1);
  EXPECT_THAT(error_of([&] { Solver other(matrix, options); }), HasSubstr("the matrix is complex"));
  EXPECT_THAT(error_of([&] {
                Matrix::from_entries(1, 1, std::vector<Index>{0}, std::vector<Index>{0},
                                     std::vector<Complex>{{1, INFINITY}});
              }),
              HasSubstr("not finite"));
}

TEST(ComplexSolver, InC) {
  const std::int64_t offsets[] = {0, 2, 3}, columns[] = {0, 1, 1};
  const double values[] = {1, 1, 0, 2, 3, 0};  // [1 + i, 2i; 0, 3]
  spsolve_matrix* matrix = nullptr;
  ASSERT_EQ(spsolve_matrix_from_rows_z(2, 2, offsets, columns, values, &matrix), SPSOLVE_OK);
  EXPECT_EQ(spsolve_matrix_is_complex(matrix), 1);
  EXPECT_EQ(spsolve_matrix_nonzeros(matrix), 3);
  spsolve_solver* solver = nullptr;
  ASSERT_EQ(spsolve_solver_create(matrix, nullptr, &solver), SPSOLVE_OK);
  const double b[] = {1, 3, 3, 0};  // of x = (1, 1)
  double x[4];
  spsolve_trust trust;
  EXPECT_EQ(spsolve_solver_solve_z(solver, 0, 1, b, x, &trust), SPSOLVE_OK);
  EXPECT_THAT(x, testing::Pointwise(testing::DoubleNear(1e-14), {1., 0., 1., 0.}));
  const double adjoint[] = {1, -1, 3, -2};  // of A^H x = b
  EXPECT_EQ(spsolve_solver_solve_z(solver, 2, 1, adjoint, x, nullptr), SPSOLVE_OK);
  EXPECT_THAT(x, testing::Pointwise(testing::DoubleNear(1e-14), {1., 0., 1., 0.}));
  EXPECT_EQ(spsolve_solver_solve_z(solver, 3, 1, b, x, nullptr), SPSOLVE_INPUT);
  EXPECT_EQ(spsolve_solver_solve(solver, 0, 1, b, x, nullptr), SPSOLVE_INPUT);
  const double doubled[] = {2, 2, 0, 4, 6, 0};
  EXPECT_EQ(spsolve_solver_set_values_z(solver, 3, doubled), SPSOLVE_OK);
  EXPECT_EQ(spsolve_solver_solve_z(solver, 0, 1, b, x, nullptr), SPSOLVE_OK);
  EXPECT_NEAR(x[0], 0.5, 1e-14);
  spsolve_solver_free(solver);
  spsolve_matrix_free(matrix);
}

}  // namespace
}  // namespace spsolve
