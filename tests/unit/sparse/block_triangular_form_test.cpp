#include "sparse/matching/block_triangular_form.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "helpers/reference.hpp"
#include "helpers/test_matrices.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/random.hpp"
#include "sparse/matching/matching.hpp"
#include "sparse/matching/permutation.hpp"

namespace spsolve {
namespace {

bool is_permutation(std::vector<LocalIndex> order) {
  std::sort(order.begin(), order.end());
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (order[k] != static_cast<LocalIndex>(k)) return false;
  }
  return true;
}

/// Whether each block's columns reach each other, by Warshall's method on the whole matrix.
void expect_irreducible(const Csr<double>& matrix, const BlockTriangularForm& form) {
  const auto n = static_cast<std::size_t>(matrix.rows);
  std::vector<std::size_t> place(n);
  for (std::size_t k = 0; k < n; ++k) place[form.columns[k]] = k;
  std::vector<std::vector<char>> reaches(n, std::vector<char>(n, 0));
  for (std::size_t k = 0; k < n; ++k) {
    reaches[k][k] = 1;
    for (const LocalIndex j : matrix.row_columns(form.rows[k])) reaches[k][place[j]] = 1;
  }
  for (std::size_t via = 0; via < n; ++via) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t l = 0; reaches[k][via] && l < n; ++l) reaches[k][l] |= reaches[via][l];
    }
  }
  for (LocalIndex b = 0; b < form.blocks(); ++b) {
    for (LocalIndex k = form.starts[b]; k < form.starts[b + 1]; ++k) {
      for (LocalIndex l = form.starts[b]; l < form.starts[b + 1]; ++l) {
        ASSERT_TRUE(reaches[k][l]) << "block " << b;
      }
    }
  }
}

void expect_form(const Csr<double>& matrix, const BlockTriangularForm& form) {
  const auto n = static_cast<LocalIndex>(matrix.rows);
  ASSERT_EQ(form.rows.size(), static_cast<std::size_t>(n));
  ASSERT_EQ(form.columns.size(), static_cast<std::size_t>(n));
  ASSERT_TRUE(is_permutation(form.rows));
  ASSERT_TRUE(is_permutation(form.columns));
  ASSERT_EQ(form.starts.front(), 0);
  ASSERT_EQ(form.starts.back(), n);
  std::vector<LocalIndex> block(static_cast<std::size_t>(n));  // of each column
  for (LocalIndex b = 0; b < form.blocks(); ++b) {
    ASSERT_LT(form.starts[b], form.starts[b + 1]);
    for (LocalIndex k = form.starts[b]; k < form.starts[b + 1]; ++k) block[form.columns[k]] = b;
  }
  for (LocalIndex k = 0; k < n; ++k) {
    for (const LocalIndex j : matrix.row_columns(form.rows[k])) {
      ASSERT_GE(block[j], block[form.columns[k]]) << "an entry below the diagonal blocks";
    }
  }
}

Csr<double> random_pattern(Index n, double density, std::uint64_t seed) {
  Dense<double> dense(n, n);
  for (Index i = 0; i < n * n; ++i) {
    dense.values[i] = unit_interval(random_bits(seed, static_cast<std::uint64_t>(i))) < density;
  }
  return test::sparse(dense);
}

BlockTriangularForm form_of(const Csr<double>& matrix) {
  return block_triangular_form(matrix, maximum_product_matching(matrix).row_of_column);
}

TEST(BlockTriangularForm, OfRandomPatterns) {
  LocalIndex most_blocks = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const Index n = 1 + static_cast<Index>(seed % 30);
    const Csr<double> matrix =
        random_pattern(n, (1 + static_cast<double>(seed % 4)) / static_cast<double>(n), seed);
    const MaximumProductMatching matching = maximum_product_matching(matrix);
    const BlockTriangularForm form = block_triangular_form(matrix, matching.row_of_column);
    expect_form(matrix, form);
    expect_irreducible(matrix, form);
    if (matching.rank == n) most_blocks = std::max(most_blocks, form.blocks());
  }
  EXPECT_GT(most_blocks, 3);
}

TEST(BlockTriangularForm, OfKnownMatrices) {
  EXPECT_EQ(form_of(Csr<double>{}).blocks(), 0);
  EXPECT_EQ(form_of(generate_matrix("grid2d:5")).blocks(), 1);
  // Lower triangular: every unknown a block, in opposite order.
  Dense<double> lower(4, 4);
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j <= i; ++j) lower(i, j) = 1;
  }
  const BlockTriangularForm form = form_of(test::sparse(lower));
  EXPECT_EQ(form.rows, (std::vector<LocalIndex>{3, 2, 1, 0}));
  EXPECT_EQ(form.columns, form.rows);
  EXPECT_EQ(form.blocks(), 4);
}

TEST(BlockTriangularForm, OfRealMatrices) {
  test::for_real_matrices({"memplus.mtx", "rajat19.mtx", "mahindas.mtx", "west0497.mtx",
                           "bp_800.mtx", "mbeacxc.mtx", "adder_dcop_05.mtx", "luxembourg.mtx"},
                          [](const std::string&, const Csr<double>& matrix) {
                            if (matrix.rows != matrix.columns) return false;
                            expect_form(matrix, form_of(matrix));
                            return true;
                          });
}

TEST(BlockTriangularForm, RefusesOthers) {
  EXPECT_THROW(block_triangular_form(generate_matrix("random_sparse:4:5:2"), {0, 1, 2, 3}), Error);
  EXPECT_THROW(block_triangular_form(generate_matrix("grid2d:3"), {0, 1}), Error);
}

StructuralDefect defect_of(const Csr<double>& matrix) {
  const MaximumProductMatching matching = maximum_product_matching(matrix);
  return structural_defect(matrix, matching.row_of_column, matching.unmatched_rows,
                           matching.unmatched_columns);
}

TEST(StructuralDefect, IsNamed) {
  // Rows 1, 2 and 4 have columns 1 and 3 only; columns 2 and 4 have rows 3 and, of these, none
  // more.
  Dense<double> dense(4, 4);
  dense(0, 0) = dense(0, 2) = dense(1, 0) = dense(3, 2) = 1;
  dense(2, 1) = dense(2, 3) = dense(2, 0) = 2;
  const StructuralDefect defect = defect_of(test::sparse(dense));
  EXPECT_EQ(defect.rows, (std::vector<LocalIndex>{0, 1, 3}));
  EXPECT_EQ(defect.few_columns, (std::vector<LocalIndex>{0, 2}));
  EXPECT_EQ(defect.columns, (std::vector<LocalIndex>{1, 3}));
  EXPECT_EQ(defect.few_rows, (std::vector<LocalIndex>{2}));
  EXPECT_EQ(
      in_words(defect),
      "rows 1, 2 and 4 have non-zeros in columns 1 and 3 only; columns 2 and 4 have non-zeros "
      "in row 3 only");
  EXPECT_EQ(in_words(defect, 2), "columns 2 and 4 have non-zeros in row 3 only");
  EXPECT_EQ(in_words(defect, 1),
            "rows 1 and 2 more have non-zeros in columns 1 and 1 more only; columns 2 and 1 more "
            "have non-zeros in row 3 only");
}

TEST(StructuralDefect, OfStoredZerosAndNone) {
  Csr<double> matrix = generate_matrix("grid2d:3");
  EXPECT_EQ(in_words(defect_of(matrix)), "");
  for (Index k = matrix.row_offsets[4]; k < matrix.row_offsets[5]; ++k) matrix.values[k] = 0;
  EXPECT_EQ(in_words(defect_of(matrix)), "row 5 has no non-zeros");
}

TEST(StructuralDefect, ProvesItselfOnRandomPatterns) {
  int singular = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Index n = 2 + static_cast<Index>(seed % 40);
    const Csr<double> matrix = random_pattern(n, 2.0 / static_cast<double>(n), seed);
    const LocalIndex rank = maximum_product_matching(matrix).rank;
    const StructuralDefect defect = defect_of(matrix);
    EXPECT_EQ(defect.rows.empty(), rank == n);
    if (rank == n) continue;
    ++singular;
    EXPECT_EQ(static_cast<Index>(defect.rows.size() - defect.few_columns.size()), n - rank);
    EXPECT_EQ(static_cast<Index>(defect.columns.size() - defect.few_rows.size()), n - rank);
    const auto has = [](const std::vector<LocalIndex>& sorted, LocalIndex value) {
      return std::binary_search(sorted.begin(), sorted.end(), value);
    };
    for (LocalIndex i = 0; i < n; ++i) {
      for (const LocalIndex j : matrix.row_columns(i)) {
        EXPECT_TRUE(!has(defect.rows, i) || has(defect.few_columns, j));
        EXPECT_TRUE(!has(defect.columns, j) || has(defect.few_rows, i));
      }
    }
  }
  EXPECT_GT(singular, 20);
}

TEST(CompletePermutation, KeepsOwnNumbers) {
  std::vector<LocalIndex> permutation{4, -1, -1, 0, -1, 3};
  complete_permutation(permutation);
  EXPECT_EQ(permutation, (std::vector<LocalIndex>{4, 1, 2, 0, 5, 3}));
}

}  // namespace
}  // namespace spsolve
