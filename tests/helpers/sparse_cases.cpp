#include "helpers/sparse_cases.hpp"

#include <string>

#include "matrix/generate/generate.hpp"

namespace spsolve::test {

namespace {

/// A matrix and how it may be factored.
struct Case {
  std::string spec;
  std::vector<Factorization> kinds;
};

const std::vector<Case> cases = {
    {"grid2d:1", {Factorization::cholesky, Factorization::ldlt, Factorization::lu}},
    {"grid2d:13", {Factorization::cholesky, Factorization::ldlt, Factorization::lu}},
    {"grid2d:40", {Factorization::cholesky, Factorization::ldlt, Factorization::lu}},
    {"grid3d:9", {Factorization::cholesky, Factorization::ldlt, Factorization::lu}},
    {"grid3d27:6:3", {Factorization::cholesky, Factorization::ldlt, Factorization::lu}},
    {"elastic3d:4", {Factorization::cholesky, Factorization::lu}},
    {"aniso2d:20", {Factorization::cholesky}},
    {"helmholtz2d:20", {Factorization::ldlt, Factorization::lu}},
    {"kkt:300", {Factorization::ldlt}},
    {"convdiff3d:8", {Factorization::lu}},
    {"circuit:500", {Factorization::lu}},
    {"random_dense:60", {Factorization::lu}},
};

}  // namespace

void for_sparse_cases(const std::function<void(const Csr<double>&, Factorization)>& work) {
  for (const Case& one : cases) {
    const Csr<double> matrix = generate_matrix(one.spec);
    for (const Factorization kind : one.kinds) {
      SCOPED_TRACE(one.spec + ", kind " + std::to_string(static_cast<int>(kind)));
      work(matrix, kind);
    }
  }
}

Csr<double> shifted(Csr<double> matrix, double shift) {
  for (Index i = 0; i < matrix.rows; ++i) {
    for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      if (matrix.column_indices[k] == i) matrix.values[k] += shift;
    }
  }
  return matrix;
}

std::shared_ptr<const SparseAnalysis> analysis_of(const Csr<double>& matrix, Factorization kind,
                                                  Ordering ordering, bool divides) {
  return std::make_shared<SparseAnalysis>(
      analyse_sparse(matrix, kind, ordering, !has_strong_diagonal(matrix), {}, divides));
}

}  // namespace spsolve::test
