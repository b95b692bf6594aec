// Colouring: validity from its definition, counts, balance, determinism, dense columns and rows.

#include "matrix/formats/colouring.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "helpers/test_matrices.hpp"
#include "matrix/generate/generate.hpp"

namespace spsolve {
namespace {

/// |T_v| of the column that most rows touch: no colouring has fewer colours.
Index lower_bound(const Csr<double>& matrix) {
  std::vector<Index> degrees(matrix.rows, 1);
  for (Index i = 0; i < matrix.rows; ++i) {
    for (const LocalIndex j : matrix.row_columns(i)) {
      if (j < i) ++degrees[j];
    }
  }
  return matrix.rows == 0 ? 0 : *std::max_element(degrees.begin(), degrees.end());
}

/// Each colour's rows touch every element of y at most once, and the permutation holds all rows
/// by colour.
void expect_valid(const Csr<double>& matrix, const Colouring& colouring) {
  ASSERT_EQ(static_cast<Index>(colouring.permutation.size()), matrix.rows);
  ASSERT_EQ(colouring.color_offsets.back(), matrix.rows);
  std::vector<LocalIndex> sorted = colouring.permutation;
  std::sort(sorted.begin(), sorted.end());
  for (Index i = 0; i < matrix.rows; ++i) ASSERT_EQ(sorted[i], i);
  std::vector<Index> touched_by(matrix.rows, -1);  // the last colour that touched y_v
  for (Index color = 0; color < colouring.count(); ++color) {
    EXPECT_GT(colouring.size(color), 0);
    for (Index s = colouring.color_offsets[color]; s < colouring.color_offsets[color + 1]; ++s) {
      const Index i = colouring.permutation[s];
      ASSERT_EQ(colouring.colors[i], color);
      ASSERT_NE(std::exchange(touched_by[i], color), color) << "row " << i;
      for (const LocalIndex j : matrix.row_columns(i)) {
        if (j < i) {
          ASSERT_NE(std::exchange(touched_by[j], color), color) << "row " << i;
        }
      }
    }
  }
}

TEST(Colouring, PublishedSecondPassDrawsAnew) {
  Index more = 0;
  for (const char* spec : {"grid2d:30", "grid3d:9", "random_sparse:1:1:1", "tridiagonal:200",
                           "grid3d27:6:2", "aniso2d:20"}) {
    const Csr<double> matrix = generate_matrix(spec);
    const Colouring balanced = colour_rows(matrix, 1, SecondPass::balanced);
    for (const Index seed : {1, 2, 3}) {
      const Colouring published = colour_rows(matrix, seed, SecondPass::published);
      SCOPED_TRACE(spec);
      expect_valid(matrix, published);
      EXPECT_GE(published.count(), lower_bound(matrix));
      EXPECT_EQ(published.colors, colour_rows(matrix, seed, SecondPass::published).colors);
      // It may open colours, which moving rows never does.
      EXPECT_LE(published.count(), 2 * balanced.count() + 2);
      more += published.count() > balanced.count();
      if (balanced.count() > 2) {
        EXPECT_NE(published.colors, balanced.colors);
      }
    }
  }
  EXPECT_GT(more, 0) << "none of them needs the colours that it opens";
}

/// Full first row and column, or full last ones, and a diagonal.
Csr<double> arrow(Index n, bool first) {
  Csr<double> matrix;
  matrix.rows = matrix.columns = n;
  const Index head = first ? 0 : n - 1;
  const auto put = [&](Index j) { matrix.column_indices.push_back(static_cast<LocalIndex>(j)); };
  for (Index i = 0; i < n; ++i) {
    if (i == head) {
      for (Index j = 0; j < n; ++j) put(j);
    } else {
      put(std::min(head, i));
      put(std::max(head, i));
    }
    matrix.row_offsets.push_back(static_cast<Index>(matrix.column_indices.size()));
  }
  matrix.values.assign(matrix.column_indices.size(), 1.0);
  return matrix;
}

TEST(Colouring, IsValid) {
  for (const char* spec :
       {"tridiagonal:1", "tridiagonal:2", "tridiagonal:1000", "grid2d:40", "grid3d27:7:1",
        "grid3d27:5:3", "power_law:3000:6", "random_sparse:2000:2000:9", "random_dense:100"}) {
    SCOPED_TRACE(spec);
    const Csr<double> matrix = generate_matrix(spec);
    const Colouring colouring = colour_rows(matrix);
    expect_valid(matrix, colouring);
    EXPECT_GE(colouring.count(), lower_bound(matrix));
  }
}

TEST(Colouring, EmptyMatrix) {
  const Colouring colouring = colour_rows(Csr<double>{});
  EXPECT_EQ(colouring.count(), 0);
  EXPECT_EQ(colouring.largest(), 0);
  EXPECT_EQ(colouring.smallest(), 0);
}

TEST(Colouring, NeedsASquareMatrix) {
  EXPECT_THROW(colour_rows(generate_matrix("random_sparse:3:4:2")), Error);
}

TEST(Colouring, GridAsLargeAsEcology1NeedsItsFourColours) {
  const Csr<double> matrix = generate_matrix("grid2d:1000");
  const Colouring colouring = colour_rows(matrix);
  expect_valid(matrix, colouring);
  EXPECT_LE(colouring.count(), 4);
  EXPECT_GE(colouring.smallest(), 240000);
  EXPECT_LE(colouring.largest(), 260000);
}

TEST(Colouring, CountsOfKnownMatrices) {
  EXPECT_EQ(colour_rows(generate_matrix("tridiagonal:1000")).count(), 2);
  EXPECT_EQ(colour_rows(generate_matrix("random_dense:100")).count(), 100);
  // First-fit never needs more than one colour per earlier row that shares a column, plus one.
  const Csr<double> cube = generate_matrix("grid3d27:12:1");
  EXPECT_LE(colour_rows(cube).count(), 28);
}

TEST(Colouring, IsBalanced) {
  for (const char* spec : {"grid2d:100", "random_sparse:20000:20000:8", "grid3d27:12:1"}) {
    const Colouring colouring = colour_rows(generate_matrix(spec));
    EXPECT_LE(colouring.largest(), colouring.smallest() * 5 / 4 + 1) << spec;
  }
}

TEST(Colouring, DependsOnTheSeedOnly) {
  const Csr<double> matrix = generate_matrix("random_sparse:2000:2000:6");
  EXPECT_EQ(colour_rows(matrix, 5).colors, colour_rows(matrix, 5).colors);
  EXPECT_NE(colour_rows(matrix, 5).colors, colour_rows(matrix, 6).colors);
}

TEST(Colouring, DenseColumnNeedsOneColourPerRowAndADenseRowOneForItself) {
  constexpr Index n = 46500;
  const Csr<double> head_first = arrow(n, true);
  const Colouring many = colour_rows(head_first);
  EXPECT_EQ(many.count(), n);
  const Csr<double> head_last = arrow(n, false);
  const Colouring two = colour_rows(head_last);
  EXPECT_EQ(two.count(), 2);
  EXPECT_EQ(two.smallest(), 1);
  expect_valid(head_first, many);
  expect_valid(head_last, two);
}

TEST(Colouring, RealMatrices) {
  // The count of a greedy colouring lies above the lower bound, but not far.
  test::for_real_matrices({"bcsstk15.mtx", "bcsstk29.mtx", "ca-AstroPh.mtx", "luxembourg.mtx",
                           "fe_4elt2.mtx", "delaunay_n13.mtx", "lap3d_40.mtx"},
                          [](const std::string&, const Csr<double>& matrix) {
                            const Colouring colouring = colour_rows(matrix);
                            expect_valid(matrix, colouring);
                            EXPECT_LE(colouring.count(), lower_bound(matrix) * 5 / 4);
                            return true;
                          });
}

}  // namespace
}  // namespace spsolve
