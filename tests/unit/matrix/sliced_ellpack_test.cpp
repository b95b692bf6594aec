// SELL-C-sigma: the layout by hand, back-conversion over C and sigma, what is refused.

#include "matrix/formats/sliced_ellpack.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "helpers/reference.hpp"
#include "helpers/threads.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"

namespace spsolve {
namespace {

using test::expect_equal;

/// 5 x 3 with rows of 1, 3, 0, 2, 1 elements.
Csr<double> small() {
  Csr<double> matrix;
  matrix.rows = 5;
  matrix.columns = 3;
  matrix.row_offsets = {0, 1, 4, 4, 6, 7};
  matrix.column_indices = {2, 0, 1, 2, 0, 2, 1};
  matrix.values = {1, 2, 3, 4, 5, 6, 7};
  return matrix;
}

TEST(SlicedEllpack, SortsByLengthWithinWindows) {
  const auto sliced = SlicedEllpack<double>::from_csr(small(), {2, 4});
  EXPECT_EQ(sliced.permutation, (std::vector<LocalIndex>{1, 3, 0, 2, 4}));
  EXPECT_EQ(sliced.row_lengths, (std::vector<LocalIndex>{3, 2, 1, 0, 1}));
  EXPECT_EQ(sliced.chunk_offsets, (std::vector<Index>{0, 6, 8, 10}));
  EXPECT_EQ(sliced.column_indices, (std::vector<LocalIndex>{0, 0, 1, 2, 2, 2, 2, 0, 1, 0}));
  EXPECT_EQ(sliced.values, (std::vector<double>{2, 5, 3, 6, 4, 0, 1, 0, 7, 0}));
  EXPECT_EQ(sliced.chunk_width(0), 3);
}

TEST(SlicedEllpack, SigmaOneKeepsTheOrder) {
  const auto sliced = SlicedEllpack<double>::from_csr(small(), {2, 1});
  EXPECT_EQ(sliced.permutation, (std::vector<LocalIndex>{0, 1, 2, 3, 4}));
  EXPECT_EQ(sliced.chunk_offsets, (std::vector<Index>{0, 6, 10, 12}));
}

TEST(SlicedEllpack, ComesBackForAllParametersAndThreads) {
  test::Threads lent(1);
  Csr<double> no_rows, no_columns;
  no_rows.columns = 4;
  no_columns.rows = 4;
  no_columns.row_offsets.assign(5, 0);
  for (const Csr<double>& matrix :
       {small(), no_rows, no_columns, generate_matrix("power_law:1000:5"),
        generate_matrix("random_sparse:100:37:5"), generate_matrix("random_dense:9")}) {
    for (const int chunk : {1, 2, 4, 5, 8, 32, 256}) {
      for (const Index sigma : {Index{1}, Index{8}, Index{100}, Index{1} << 40}) {
        lent.set(1);
        const auto expected = SlicedEllpack<double>::from_csr(matrix, {chunk, sigma});
        expect_equal(expected.to_csr(), matrix);
        lent.set(3);
        const auto sliced = SlicedEllpack<double>::from_csr(matrix, {chunk, sigma});
        EXPECT_EQ(sliced.permutation, expected.permutation);
        EXPECT_EQ(sliced.values, expected.values);
        EXPECT_EQ(sliced.column_indices, expected.column_indices);
        EXPECT_EQ(static_cast<Index>(sliced.values.size()), sliced.chunk_offsets.back());
        for (const LocalIndex column : sliced.column_indices) {
          EXPECT_TRUE(column >= 0 && column < matrix.columns);
        }
      }
    }
  }
}

TEST(SlicedEllpack, SortingSavesPadding) {
  const Csr<double> matrix = generate_matrix("power_law:5000:5");
  const auto unsorted = SlicedEllpack<double>::from_csr(matrix, {32, 1});
  const auto sorted = SlicedEllpack<double>::from_csr(matrix, {32, 5000});
  EXPECT_LT(sorted.bytes(), unsorted.bytes());
}

TEST(SlicedEllpack, RefusesParametersOutOfRange) {
  for (const SlicedEllpackOptions& options :
       {SlicedEllpackOptions{0, 1}, SlicedEllpackOptions{257, 1}, SlicedEllpackOptions{8, 0}}) {
    EXPECT_THROW(SlicedEllpack<double>::from_csr(small(), options), Error);
  }
}

}  // namespace
}  // namespace spsolve
