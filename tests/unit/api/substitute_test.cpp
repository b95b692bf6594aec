// Forward, diagonal and backward substitution by themselves, as programs take them.

#include <algorithm>
#include <cctype>
#include <cmath>
#include <complex>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <spsolve/spsolve.hpp>

#include "helpers/error_of.hpp"
#include "matrix/csr.hpp"

namespace spsolve::test {
namespace {

using Element = std::complex<double>;
using Halves = std::vector<Element>;  // of a solve

Options options_by(Method method) {
  Options options;
  options.method = method;
  options.device = Device::host;
  return options;
}

/// n x columns numbers without a pattern; real ones of a real matrix.
Halves numbers_for(const Matrix& a, Index columns) {
  Halves b(static_cast<std::size_t>(a.rows() * columns));
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double angle = 1.7 * static_cast<double>(i * i % 9973);
    b[i] = {std::sin(angle), a.is_complex() ? std::cos(1.3 * angle) : 0.0};
  }
  return b;
}

/// x^H y, and of Transposition::none x^T y.
Element product_of(const Halves& x, const Halves& y, bool conjugates) {
  Element sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (conjugates ? std::conj(x[i]) : x[i]) * y[i];
  return sum;
}

double apart(const Halves& x, const Halves& y) {
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - y[i]));
  return most;
}
double size_of(const Halves& x) {
  return apart(x, Halves(x.size()));
}

std::vector<double> parts_of(const Halves& x) {
  std::vector<double> real(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) real[i] = x[i].real();
  return real;
}

/// One substitution: of real matrices by real numbers.
Halves substituted(Solver& solver, Substitution step, const Halves& b, Index columns,
                   Transposition of) {
  Halves x(b.size());
  if (solver.is_complex()) {
    solver.substitute(step, b, columns, x, of);
    return x;
  }
  const std::vector<double> from = parts_of(b);
  std::vector<double> to(from.size());
  solver.substitute(step, from, columns, to, of != Transposition::none);
  std::ranges::copy(to, x.begin());
  return x;
}

Halves solved(Solver& solver, const Halves& b, Index columns, Transposition of) {
  Halves x(b.size());
  solver.solve(b, columns, x, of);
  return x;
}

/// The three in turn; `y` and `z`: what comes between.
Halves in_turn(Solver& solver, const Halves& b, Index columns, Transposition of, Halves& y,
               Halves& z) {
  y = substituted(solver, Substitution::forward, b, columns, of);
  z = substituted(solver, Substitution::diagonal, y, columns, of);
  return substituted(solver, Substitution::backward, z, columns, of);
}

struct Factored {
  const char* matrix;
  Method method;
  double tolerance;
};

class Substitutions : public testing::TestWithParam<Factored> {};
class SymmetricSubstitutions : public testing::TestWithParam<Factored> {};

TEST_P(Substitutions, InTurnAreASolution) {
  const Matrix a = Matrix::load(GetParam().matrix);
  Solver solver(a, options_by(GetParam().method));
  for (const Transposition of :
       {Transposition::none, Transposition::transposed, Transposition::adjoint}) {
    for (const Index columns : {1, 3, 19}) {
      SCOPED_TRACE(columns);
      const Halves b = numbers_for(a, columns), x = solved(solver, b, columns, of);
      Halves y, z;
      EXPECT_LT(apart(in_turn(solver, b, columns, of, y, z), x), GetParam().tolerance * size_of(x));
      EXPECT_GT(apart(y, x), 0.01 * size_of(x));
      // D alone makes a difference.
      EXPECT_EQ(y == z, GetParam().method != Method::sparse_ldlt);
    }
  }
}

// Of symmetric and Hermitian A = L D L^H the inner product by A^-1 is that of halves.
TEST_P(SymmetricSubstitutions, HaveInnerProducts) {
  const Matrix a = Matrix::load(GetParam().matrix);
  Solver solver(a, options_by(GetParam().method));
  const Halves b = numbers_for(a, 1), x = solved(solver, b, 1, Transposition::none);
  Halves y, z;
  in_turn(solver, b, 1, Transposition::none, y, z);
  const bool conjugates = std::string(GetParam().matrix).find("zhelm") == std::string::npos;
  const Element whole = product_of(b, x, conjugates), halves = product_of(y, z, conjugates);
  const double terms = size_of(b) * size_of(x) * static_cast<double>(a.rows());
  EXPECT_LT(std::abs(whole - halves), GetParam().tolerance * terms);
  EXPECT_GT(std::abs(whole), 100 * GetParam().tolerance * terms);
}

// kkt's pivots are delayed; ipm_pde2d's are pairs.
const std::vector<Factored> symmetric_ones = {{"grid2d:40", Method::sparse_cholesky, 1e-12},
                                              {"grid2d:40", Method::sparse_ldlt, 1e-12},
                                              {"kkt:300", Method::sparse_ldlt, 1e-6},
                                              {"ipm_pde2d:12:3", Method::sparse_ldlt, 1e-6},
                                              {"helmholtz2d:20", Method::sparse_ldlt, 1e-10},
                                              {"magnetic2d:24", Method::sparse_cholesky, 1e-12},
                                              {"magnetic2d:24", Method::sparse_ldlt, 1e-12},
                                              {"zhelm2d:24", Method::sparse_ldlt, 1e-10}};
const std::vector<Factored> general_ones = {{"convdiff3d:9", Method::sparse_lu, 1e-10},
                                            {"zconvdiff2d:20", Method::sparse_lu, 1e-10},
                                            {"cage:6", Method::sparse_lu, 1e-10}};

std::string name_of(const testing::TestParamInfo<Factored>& told) {
  std::string name =
      told.param.matrix + std::string("_") + std::to_string(static_cast<int>(told.param.method));
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(OfSymmetricMatrices, Substitutions, testing::ValuesIn(symmetric_ones),
                         name_of);
INSTANTIATE_TEST_SUITE_P(OfGeneralMatrices, Substitutions, testing::ValuesIn(general_ones),
                         name_of);
INSTANTIATE_TEST_SUITE_P(All, SymmetricSubstitutions, testing::ValuesIn(symmetric_ones), name_of);

/// Rows and columns of a definite mesh far apart in size, so that it is equilibrated.
Matrix definite_scaled_mesh() {
  const Matrix mesh = Matrix::load("grid2d:12");
  std::vector<Index> rows, columns;
  std::vector<double> values;
  const auto& csr = mesh.csr();
  for (Index i = 0; i < mesh.rows(); ++i) {
    for (Index k = csr.row_offsets[i]; k < csr.row_offsets[i + 1]; ++k) {
      const Index j = csr.column_indices[k];
      rows.push_back(i);
      columns.push_back(j);
      values.push_back(std::ldexp(csr.values[k], static_cast<int>(5 * (i % 7) + 5 * (j % 7))));
    }
  }
  return Matrix::from_entries(mesh.rows(), mesh.rows(), rows, columns, values);
}

TEST(Substitute, KnowsOfScalesAndNewValues) {
  const Matrix a = definite_scaled_mesh();
  for (const Method method : {Method::sparse_cholesky, Method::sparse_ldlt}) {
    Solver solver(a, options_by(method));
    EXPECT_TRUE(solver.report().equilibrated);
    const Halves b = numbers_for(a, 1);
    std::vector<double> values(a.values().begin(), a.values().end());
    for (int round = 0; round < 2; ++round) {
      const Halves x = solved(solver, b, 1, Transposition::none);
      Halves y, z;
      EXPECT_LT(apart(in_turn(solver, b, 1, Transposition::none, y, z), x), 1e-10 * size_of(x));
      const double energy = product_of(b, x, false).real();
      EXPECT_NEAR(product_of(y, z, false).real(), energy, 1e-10 * energy);
      for (double& value : values) value *= 5;
      solver.set_values(values);
    }
  }
}

TEST(Substitute, IsRefusedWhereFactorsHaveNoParts) {
  const Matrix a = Matrix::load("grid2d:12");
  std::vector<double> b(static_cast<std::size_t>(a.rows()), 1.0), x(b.size());
  const auto error = [&](Solver& solver) {
    return test::error_of([&] { solver.substitute(Substitution::forward, b, 1, x); });
  };
  Options mixed = options_by(Method::sparse_lu);
  mixed.precision = Precision::mixed;
  for (const Options& options : {options_by(Method::lu), options_by(Method::cg), mixed}) {
    Solver solver(a, options);
    EXPECT_NE(error(solver).find("no substitutions apart"), std::string::npos);
  }
  // A block triangular form: two meshes of which one feeds the other.
  std::vector<Index> rows, columns;
  std::vector<double> values;
  const Index half = a.rows() / 2;
  for (Index i = 0; i < a.rows(); ++i) {
    for (const Index j : {i - 1, i, i + 1}) {
      if (j < 0 || j >= a.rows() || (i < half && j >= half)) continue;
      rows.push_back(i);
      columns.push_back(j);
      values.push_back(i == j ? 3 : j < i ? -1 : -0.5);
    }
  }
  Solver in_blocks(Matrix::from_entries(a.rows(), a.rows(), rows, columns, values),
                   options_by(Method::sparse_lu));
  EXPECT_NE(error(in_blocks).find("block triangular form"), std::string::npos);
  // Perturbed pivots, which GMRES makes up for.
  const Matrix of_steps = Matrix::load("ipm_tree:300:6");
  Solver by_gmres(of_steps, options_by(Method::sparse_ldlt));
  EXPECT_GT(by_gmres.report().perturbed_pivots, 0);
  std::vector<double> other(static_cast<std::size_t>(of_steps.rows()), 1.0);
  EXPECT_NE(test::error_of([&] {
              by_gmres.substitute(Substitution::backward, other, 1, other);
            }).find("need no GMRES"),
            std::string::npos);
  Solver only_analysed = Solver::analysed(a, options_by(Method::sparse_cholesky));
  EXPECT_NE(error(only_analysed).find("no factors"), std::string::npos);
  Solver solver(a, options_by(Method::sparse_cholesky));
  x.push_back(0);
  EXPECT_NE(error(solver).find("right-hand sides of"), std::string::npos);
  x.pop_back();
  b[3] = std::nan("");
  EXPECT_NE(error(solver).find("not finite"), std::string::npos);
  Solver of_complex(Matrix::load("zhelm2d:6"), options_by(Method::sparse_ldlt));
  EXPECT_NE(error(of_complex).find("give them as complex numbers"), std::string::npos);
}

}  // namespace
}  // namespace spsolve::test
