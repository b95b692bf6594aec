#include <fmt/format.h>
#include <gtest/gtest.h>

#include "choice/factorization_estimate.hpp"
#include "helpers/coo.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"
#include "sparse/analysis/analysis.hpp"

namespace spsolve {
namespace {

/// [0 B; B^T 0] with B of n rows: I and some six entries a row next to it, of the sizes given.
Csr<double> bipartite(Index n, double first, double others) {
  const Csr<double> random = generate_matrix(fmt::format("random_sparse:{}:{}:6", n, n));
  Coo coo;
  coo.rows = coo.columns = 2 * n;
  const auto add_both = [&](Index row, Index column, double value) {
    test::add(coo, row, n + column, value);
    test::add(coo, n + column, row, value);
  };
  for (Index i = 0; i < n; ++i) {
    add_both(i, i, first);
    for (const LocalIndex j : random.row_columns(i)) {
      if (j != i) add_both(i, j, others);
    }
  }
  return csr_from_coo(coo);
}

TEST(SparseAnalysis, CountsPivotsThatAreZeroForCertain) {
  const auto count = [](const Csr<double>& matrix) {
    return certain_zero_pivots(
        analyse_sparse(matrix, Factorization::ldlt, Ordering::automatic, RowMatching::none),
        matrix);
  };
  EXPECT_EQ(count(generate_matrix("grid2d:40")), 0);
  // The unknowns that constraints are coupled with go first, or with them.
  EXPECT_EQ(count(generate_matrix("kkt:3000")), 0);
  EXPECT_GT(count(bipartite(1000, 1, 2)), 20);
  Coo zeros;  // one entry alone on its diagonal
  zeros.rows = zeros.columns = 5;
  test::add(zeros, 2, 2, 1.0);
  EXPECT_EQ(count(csr_from_coo(zeros)), 4);
}

TEST(PatternAnalysis, AutoLeavesMatricesThatLoseTheirPivotsToLu) {
  SoloTeam team;
  const auto kind_of = [&](const Csr<double>& matrix, const SolverOptions& options = {}) {
    return analyse_pattern(team, matrix, options).estimate.kind;
  };
  const Csr<double> matrix = bipartite(1000, 1, 2);
  EXPECT_EQ(kind_of(matrix), Factorization::lu);
  // For values that are all alike no matching is better than another one.
  EXPECT_EQ(kind_of(bipartite(1000, 1, 1)), Factorization::ldlt);
  EXPECT_EQ(kind_of(generate_matrix("kkt:3000")), Factorization::ldlt);
  SolverOptions named;
  named.method = Method::sparse_ldlt;
  EXPECT_EQ(kind_of(matrix, named), Factorization::ldlt);
}

}  // namespace
}  // namespace spsolve
