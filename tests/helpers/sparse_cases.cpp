#include "helpers/sparse_cases.hpp"

#include <string>

#include "helpers/coo.hpp"
#include "matrix/convert.hpp"
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
  const Csr<double> of_hubs = hubs();
  for (const Factorization kind :
       {Factorization::cholesky, Factorization::ldlt, Factorization::lu}) {
    SCOPED_TRACE("hubs, kind " + std::to_string(static_cast<int>(kind)));
    work(of_hubs, kind);
  }
}

Csr<double> hubs() {
  constexpr Index large = 90, small = 20, leaves_of_large = 400, leaves_of_small = 150;
  Coo coo;
  coo.rows = coo.columns = large + small + leaves_of_large + leaves_of_small;
  std::vector<double> sums(static_cast<std::size_t>(coo.rows));  // of magnitudes
  const auto couple = [&](Index i, Index j) {
    const double value = -1.0 - 0.01 * static_cast<double>((7 * i + 3 * j) % 50);
    add(coo, i, j, value);
    add(coo, j, i, value);
    sums[i] -= value;
    sums[j] -= value;
  };
  const auto couple_all = [&](Index first, Index end) {
    for (Index i = first; i < end; ++i) {
      for (Index j = first; j < i; ++j) couple(i, j);
    }
  };
  couple_all(0, large);
  couple_all(large, large + small);
  for (Index i = 0; i < small; i += 2) couple(large + i, i);
  const auto hang = [&](Index leaf, Index first, Index hub) {  // on two or three of a hub
    couple(leaf, first + leaf % hub);
    couple(leaf, first + (leaf + 1 + leaf % 5) % hub);
    if (leaf % 3 == 0) couple(leaf, first + (leaf + 8) % hub);
  };
  const Index first_leaf = large + small, middle = first_leaf + leaves_of_large;
  for (Index leaf = first_leaf; leaf < middle; ++leaf) hang(leaf, 0, large);
  for (Index leaf = middle; leaf < coo.rows; ++leaf) hang(leaf, large, small);
  for (Index i = 0; i < coo.rows; ++i) add(coo, i, i, 1 + sums[i]);
  return csr_from_coo(std::move(coo));
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
      analyse_sparse(matrix, kind, ordering, wanted_matching(matrix, kind), {}, divides));
}

}  // namespace spsolve::test
