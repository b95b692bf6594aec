// The ELLPACK family: layouts by hand, back-conversion, what is refused.

#include "matrix/formats/ellpack.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "helpers/reference.hpp"
#include "matrix/convert.hpp"
#include "matrix/formats/symmetric_ellpack.hpp"
#include "matrix/generate/generate.hpp"

namespace spsolve {
namespace {

using test::expect_equal;

/// 3 x 4: row 0 is [5 . 6 .], row 1 empty, row 2 [. 7 . .].
Csr<double> small() {
  Csr<double> matrix;
  matrix.rows = 3;
  matrix.columns = 4;
  matrix.row_offsets = {0, 2, 2, 3};
  matrix.column_indices = {0, 2, 1};
  matrix.values = {5, 6, 7};
  return matrix;
}

Csr<double> empty(Index rows, Index columns) {
  Csr<double> matrix;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.row_offsets.assign(rows + 1, 0);
  return matrix;
}

/// A + A^T of a random sparse matrix: entries (i, j) and (j, i) are the same sum of two numbers.
Csr<double> random_symmetric(Index n) {
  const Csr<double> a = generate_matrix(fmt::format("random_sparse:{}:{}:4", n, n));
  Dense<double> sum(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
      sum(i, a.column_indices[k]) += a.values[k];
      sum(a.column_indices[k], i) += a.values[k];
    }
  }
  return test::sparse(sum);
}

std::vector<Csr<double>> matrices() {
  return {small(),
          empty(0, 0),
          empty(0, 5),
          empty(5, 0),
          empty(40, 3),
          generate_matrix("tridiagonal:1"),
          generate_matrix("grid2d:9"),
          generate_matrix("random_sparse:100:37:5"),
          generate_matrix("random_sparse:33:200:9"),
          generate_matrix("power_law:300:4"),
          generate_matrix("random_dense:32")};
}

TEST(Ellpack, PadsWithZeroAtTheLastColumn) {
  const auto ellpack = Ellpack<double>::from_csr(small());
  EXPECT_EQ(ellpack.width, 2);
  EXPECT_EQ(ellpack.column_indices, (std::vector<LocalIndex>{0, 2, 0, 0, 1, 1}));
  EXPECT_EQ(ellpack.values, (std::vector<double>{5, 6, 0, 0, 7, 0}));
  EXPECT_EQ(ellpack.bytes(), 6 * 12);
}

TEST(Ellpack, ColumnMajorPadsRowsTo32AndColumnsWithMinusOne) {
  const auto ellpack = ColumnMajorEllpack<float>::from_csr(csr_cast<float>(small()));
  EXPECT_EQ(ellpack.padded_rows, 32);
  ASSERT_EQ(ellpack.column_indices.size(), 64u);
  std::vector<LocalIndex> columns(64, -1);
  std::vector<float> values(64, 0);
  columns[0] = 0, columns[32] = 2, columns[2] = 1;
  values[0] = 5, values[32] = 6, values[2] = 7;
  EXPECT_EQ(ellpack.column_indices, columns);
  EXPECT_EQ(ellpack.values, values);
  EXPECT_EQ(ellpack.bytes(), 64 * 8);
}

TEST(Ellpack, UnpaddedKeepsTheLengths) {
  const auto ellpack = UnpaddedEllpack<double>::from_csr(small());
  EXPECT_EQ(ellpack.row_lengths, (std::vector<LocalIndex>{2, 0, 1}));
  EXPECT_EQ(ellpack.row_starts, (std::vector<Index>{0, 2, 2}));
  EXPECT_EQ(ellpack.bytes(), 3 * 4 + 3 * 8 + 3 * 12);
  Csr<double> consumed = small();
  expect_equal(UnpaddedEllpack<double>::from_csr(std::move(consumed)).to_csr(), small());
}

TEST(Ellpack, ComesBack) {
  for (const Csr<double>& matrix : matrices()) {
    SCOPED_TRACE(testing::Message() << matrix.rows << " x " << matrix.columns);
    expect_equal(Ellpack<double>::from_csr(matrix).to_csr(), matrix);
    expect_equal(ColumnMajorEllpack<double>::from_csr(matrix).to_csr(), matrix);
    expect_equal(UnpaddedEllpack<double>::from_csr(matrix).to_csr(), matrix);
    const auto single = csr_cast<float>(matrix);
    expect_equal(Ellpack<float>::from_csr(single).to_csr(), single);
    expect_equal(ColumnMajorEllpack<float>::from_csr(single).to_csr(), single);
    expect_equal(UnpaddedEllpack<float>::from_csr(single).to_csr(), single);
  }
}

TEST(Ellpack, PaddingHasValidColumns) {
  for (const Csr<double>& matrix : matrices()) {
    const auto ellpack = Ellpack<double>::from_csr(matrix);
    for (const LocalIndex column : ellpack.column_indices) {
      EXPECT_GE(column, 0);
      EXPECT_LT(column, matrix.columns);
    }
  }
}

TEST(Ellpack, RefusesWhatIsNearlyAllPadding) {
  // One full row among 200000 of one non-zero: 480 GB.
  constexpr Index n = 200000;
  Csr<double> arrow = empty(n, n);
  for (Index i = 0; i < n; ++i) {
    arrow.row_offsets[i + 1] = n + i;
  }
  arrow.column_indices.resize(2 * n - 1);
  arrow.values.assign(2 * n - 1, 1.0);
  for (Index k = 0; k < n; ++k) arrow.column_indices[k] = static_cast<LocalIndex>(k);
  for (const auto make : {+[](const Csr<double>& a) { Ellpack<double>::from_csr(a); },
                          +[](const Csr<double>& a) { ColumnMajorEllpack<double>::from_csr(a); }}) {
    try {
      make(arrow);
      FAIL() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::resources);
      EXPECT_NE(std::string(error.what()).find("ellpack_unpadded"), std::string::npos);
    }
  }
  expect_equal(UnpaddedEllpack<double>::from_csr(arrow).to_csr(), arrow);
}

TEST(Ellpack, PaddingProblemKnowsOverflowMemoryAndWaste) {
  EXPECT_EQ(padding_problem(0, 0, 0, 8), "");
  EXPECT_EQ(padding_problem(1000, 1000, 1000, 8), "");
  EXPECT_NE(padding_problem(Index{1} << 40, Index{1} << 40, 1, 8), "");
  EXPECT_NE(padding_problem(Index{1} << 25, Index{1} << 25, Index{1} << 50, 8), "");
  EXPECT_NE(padding_problem(100000, 1000, 300000, 8), "");  // 1.2 GB for 0.0036
}

TEST(SymmetricEllpack, StoresTheDiagonalAndBelow) {
  const auto ellpack = SymmetricEllpack<double>::from_csr(generate_matrix("tridiagonal:3"));
  EXPECT_EQ(ellpack.padded_rows, 32);
  EXPECT_EQ(ellpack.width, 2);
  EXPECT_EQ(ellpack.column_indices[0], 0);
  EXPECT_EQ(ellpack.column_indices[32], -1);
  EXPECT_EQ(ellpack.column_indices[1], 0);
  EXPECT_EQ(ellpack.column_indices[33], 1);
  EXPECT_EQ(ellpack.column_indices[3], -1);
  EXPECT_EQ(ellpack.bytes(), 64 * 12);
  EXPECT_EQ(symmetric_ellpack_bytes(generate_matrix("tridiagonal:3")), 64 * 12);
}

TEST(SymmetricEllpack, ComesBackWithAndWithoutPermutation) {
  for (const Csr<double>& matrix : {empty(0, 0), empty(3, 3), generate_matrix("tridiagonal:1"),
                                    generate_matrix("grid2d:9"), random_symmetric(70)}) {
    expect_equal(SymmetricEllpack<double>::from_csr(matrix).to_csr(), matrix);
    std::vector<LocalIndex> reversed(matrix.rows);
    for (Index i = 0; i < matrix.rows; ++i) {
      reversed[i] = static_cast<LocalIndex>(matrix.rows - 1 - i);
    }
    expect_equal(SymmetricEllpack<double>::from_csr(matrix, reversed).to_csr(), matrix);
    const auto single = csr_cast<float>(matrix);
    expect_equal(SymmetricEllpack<float>::from_csr(single).to_csr(), single);
  }
}

TEST(SymmetricEllpack, RefusesRectangularMatrices) {
  EXPECT_THROW(SymmetricEllpack<double>::from_csr(small()), Error);
}

}  // namespace
}  // namespace spsolve
