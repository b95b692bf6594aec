#include <cmath>

#include <gtest/gtest.h>

#include "helpers/random_entries.hpp"
#include "helpers/reference.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/random.hpp"
#include "sparse/matching/matching.hpp"

namespace spsolve {
namespace {

/// What the header promises of a symmetric matching.
void expect_symmetric(const Csr<double>& matrix, const SymmetricMatching& matching) {
  const auto n = static_cast<LocalIndex>(matrix.rows);
  for (LocalIndex i = 0; i < n; ++i) {
    const LocalIndex partner = matching.partner[i];
    ASSERT_TRUE(partner >= 0 && partner < n);
    ASSERT_EQ(matching.partner[partner], i);
    double of_pair = partner == i ? 1 : 0;
    for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      const LocalIndex j = matrix.column_indices[k];
      const double scaled = std::abs(matrix.values[k] * (matching.scale[i] * matching.scale[j]));
      ASSERT_LE(scaled, 2 + 1e-9);
      if (j == partner && j != i) of_pair = scaled;
    }
    if (matching.rank == n) {
      ASSERT_GE(of_pair, 0.5 - 1e-9) << i << ", " << partner;
    }
  }
}

/// [H A^T; A 0], H diagonal of order n with entries over 8 decades, A of m < n rows.
Csr<double> saddle_point(Index n, Index m) {
  Coo coo;
  coo.rows = coo.columns = n + m;
  const auto add = [&](Index i, Index j, double value) {
    coo.row.push_back(i);
    coo.column.push_back(j);
    coo.value.push_back(value);
  };
  for (Index i = 0; i < n; ++i) {
    add(i, i,
        std::pow(10.0, 4 * symmetric_interval(random_bits(5, static_cast<std::uint64_t>(i)))));
  }
  for (Index i = 0; i < m; ++i) {
    for (const Index j : {i, (7 * i + 3) % n, (i * i + 1) % n}) {
      const double value =
          symmetric_interval(random_bits(6, static_cast<std::uint64_t>(i * n + j)));
      add(n + i, j, value);
      add(j, n + i, value);
    }
  }
  return csr_from_coo(std::move(coo));
}

TEST(SymmetricMatching, PairsZeroDiagonals) {
  const Index n = 400, m = 250;
  const Csr<double> matrix = saddle_point(n, m);
  const SymmetricMatching matching = symmetric_matching(matrix);
  EXPECT_EQ(matching.rank, n + m);
  EXPECT_TRUE(matching.unmatched.empty());
  expect_symmetric(matrix, matching);
  for (Index i = n; i < n + m; ++i) EXPECT_LT(matching.partner[i], n) << "a zero pivot, alone";
}

TEST(SymmetricMatching, LeavesGoodDiagonalsAlone) {
  const Csr<double> matrix = generate_matrix("grid2d:20");
  const SymmetricMatching matching = symmetric_matching(matrix);
  expect_symmetric(matrix, matching);
  for (LocalIndex i = 0; i < 400; ++i) EXPECT_EQ(matching.partner[i], i);
  // Products of the diagonal and of the others are the same: what can be alone is.
  Dense<double> equal(2, 2);
  equal(0, 0) = equal(0, 1) = equal(1, 0) = 3;
  equal(1, 1) = -3;
  EXPECT_EQ(symmetric_matching(test::sparse(equal)).partner, (std::vector<LocalIndex>{0, 1}));
}

TEST(SymmetricMatching, FoldsCycles) {
  // A ring of n with tiny diagonal entries: matched round it, or in pairs where n is even.
  for (const Index n : {3, 4, 7, 10}) {
    Dense<double> ring(n, n);
    for (Index i = 0; i < n; ++i) ring(i, (i + 1) % n) = ring((i + 1) % n, i) = 1;
    ring(2, 2) = 1e-3;
    const Csr<double> matrix = test::sparse(ring);
    const SymmetricMatching matching = symmetric_matching(matrix);
    expect_symmetric(matrix, matching);
    Index alone = 0;
    for (LocalIndex i = 0; i < static_cast<LocalIndex>(n); ++i) alone += matching.partner[i] == i;
    EXPECT_EQ(alone, n % 2);
    EXPECT_TRUE(n % 2 == 0 || matching.partner[2] == 2);
  }
}

TEST(SymmetricMatching, OfRandomMatrices) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Index n = 1 + static_cast<Index>(seed % 40);
    Dense<double> dense = test::random_dense_of(n, 2.5 / static_cast<double>(n), 30, 77 + seed);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < i; ++j) dense(i, j) = dense(j, i);
    }
    const Csr<double> matrix = test::sparse(dense);
    const SymmetricMatching matching = symmetric_matching(matrix);
    expect_symmetric(matrix, matching);
    EXPECT_EQ(matching.rank, maximum_product_matching(matrix).rank);
    EXPECT_EQ(static_cast<Index>(matching.unmatched.size()), n - matching.rank);
  }
}

}  // namespace
}  // namespace spsolve
