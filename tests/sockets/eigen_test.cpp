// Eigen's PardisoSupport with our library in the place of MKL, beside Eigen's own solvers.
#include <complex>
#include <vector>

#include <Eigen/PardisoSupport>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <gtest/gtest.h>

namespace {

template <typename T, typename Int>
using Sparse = Eigen::SparseMatrix<T, Eigen::RowMajor, Int>;
template <typename T>
using Vectors = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

double conjugated(double x) {
  return x;
}
std::complex<double> conjugated(std::complex<double> z) {
  return std::conj(z);
}

/// A mesh of 101 x 101 points, Hermitian or not: 10 201 unknowns.
template <typename T, typename Int>
Sparse<T, Int> mesh(bool hermitian, T coupling) {
  constexpr Int side = 101;
  std::vector<Eigen::Triplet<T, Int>> entries;
  for (Int i = 0; i < side * side; ++i) {
    entries.emplace_back(i, i, T(4.5));
    for (const Int j : {i + 1, i + side}) {
      if (j >= side * side || (j == i + 1 && j % side == 0)) continue;
      entries.emplace_back(i, j, coupling);
      entries.emplace_back(j, i, hermitian ? conjugated(coupling) : coupling * 0.8);
    }
  }
  Sparse<T, Int> a(side * side, side * side);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

/// ||b - A x|| of three right-hand sides, and of new values of the pattern.
template <typename Solver, typename T, typename Int>
void solve(const Sparse<T, Int>& a) {
  const Vectors<T> b = Vectors<T>::Random(a.rows(), 3);
  Solver solver(a);
  ASSERT_EQ(solver.info(), Eigen::Success);
  const Vectors<T> x = solver.solve(b);
  EXPECT_LT((a * x - b).norm(), 1e-12 * b.norm());
  const Sparse<T, Int> twice = a * T(2);
  solver.factorize(twice);
  const Vectors<T> half = solver.solve(b);
  EXPECT_LT((half * T(2) - x).norm(), 1e-13 * x.norm());
}

TEST(EigensPardiso, SolvesAsEigensOwn) {
  const Sparse<double, int> a = mesh<double, int>(false, -1.0);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(a.rows());
  Eigen::PardisoLU<Sparse<double, int>> ours(a);
  Eigen::SparseLU<Eigen::SparseMatrix<double>> own;
  own.compute(Eigen::SparseMatrix<double>(a));
  const Eigen::VectorXd x = ours.solve(b), y = own.solve(b);
  EXPECT_LT((x - y).norm(), 1e-12 * y.norm());
}

TEST(EigensPardiso, OfEveryKind) {
  using Number = std::complex<double>;
  const Number coupling(-0.7, 0.5);
  solve<Eigen::PardisoLU<Sparse<double, int>>>(mesh<double, int>(false, -1.0));
  solve<Eigen::PardisoLLT<Sparse<double, int>>>(mesh<double, int>(true, -1.0));
  solve<Eigen::PardisoLDLT<Sparse<double, int>>>(mesh<double, int>(true, -1.0));
  solve<Eigen::PardisoLU<Sparse<double, long long>>>(mesh<double, long long>(false, -1.0));
  solve<Eigen::PardisoLU<Sparse<Number, int>>>(mesh<Number, int>(false, coupling));
}

TEST(EigensPardiso, SingularMatricesAreNumericalIssues) {
  Sparse<double, int> a = mesh<double, int>(false, -1.0);
  a.row(7) *= 0;
  Eigen::PardisoLU<Sparse<double, int>> solver(a);
  EXPECT_EQ(solver.info(), Eigen::NumericalIssue);
}

}  // namespace
