#include "matrix/symmetry.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "helpers/reference.hpp"
#include "helpers/threads.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"

namespace spsolve {
namespace {

Dense<double> square(Index n, std::initializer_list<double> values) {
  Dense<double> dense(n, n);
  std::copy(values.begin(), values.end(), dense.values.begin());
  return dense;
}

SymmetryFacts of(Index n, std::initializer_list<double> values) {
  return symmetry_of(test::sparse(square(n, values)));
}

TEST(Symmetry, OfPatterns) {
  EXPECT_FALSE(of(3, {1, 1, 0, 0, 1, 0, 0, 0, 1}).symmetric_pattern);
  EXPECT_FALSE(of(3, {1, 0, 0, 1, 1, 0, 0, 0, 1}).symmetric_pattern);
  EXPECT_FALSE(of(3, {1, 1, 0, 0, 1, 1, 1, 0, 1}).symmetric_pattern);  // as many on both sides
  EXPECT_FALSE(of(2, {0, 1, 0, 0}).symmetric_pattern);
  EXPECT_TRUE(of(2, {0, 1, 2, 0}).symmetric_pattern);
}

TEST(Symmetry, OfValues) {
  EXPECT_TRUE(of(2, {0, 3, 3, 0}).symmetric);
  EXPECT_FALSE(of(2, {0, 3, 3, 0}).skew_symmetric);
  EXPECT_TRUE(of(2, {0, 3, -3, 0}).skew_symmetric);
  EXPECT_FALSE(of(2, {1, 3, -3, 0}).skew_symmetric);
  EXPECT_FALSE(of(2, {0, 3, -3, 0}).symmetric);
  EXPECT_FALSE(of(2, {0, 3, 3 + 1e-15, 0}).symmetric);
  Csr<double> matrix = generate_matrix("grid2d:3");
  EXPECT_TRUE(symmetry_of(matrix).symmetric);
  EXPECT_TRUE(symmetry_of(csr_cast<float>(matrix)).symmetric);
  matrix.values[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(symmetry_of(matrix).symmetric);
}

TEST(Symmetry, OfSumsInOtherOrders) {
  const double far = 1 + 20 * std::numeric_limits<double>::epsilon();
  const double near = 1 + 8 * std::numeric_limits<double>::epsilon();
  EXPECT_EQ(of(2, {1, 1, 1, 1}).mirrors(), Mirrors::equal);
  EXPECT_EQ(of(2, {1, 1, near, 1}).mirrors(), Mirrors::round);
  EXPECT_EQ(of(2, {1, 1, far, 1}).mirrors(), Mirrors::differ);
  EXPECT_EQ(of(2, {1, far, 1, 1}).mirrors(), Mirrors::differ);
  // Compared with the largest magnitude of both rows, whatever their scale is.
  EXPECT_EQ(of(2, {16, 1, far, 16}).mirrors(), Mirrors::round);
  EXPECT_EQ(of(2, {1e300, 1e-17, 1e-18, 1e300}).mirrors(), Mirrors::round);
  EXPECT_EQ(of(2, {0, 0, 1e-30, 1}).mirrors(), Mirrors::differ);  // one of them is not stored
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(of(2, {1, nan, 1, 1}).mirrors(), Mirrors::differ);
  EXPECT_EQ(of(2, {nan, 1, 1, 1}).mirrors(), Mirrors::differ);
  Csr<double> large = generate_matrix("grid2d:150");
  for (double& value : large.values) value *= 1 + 4 * std::numeric_limits<double>::epsilon();
  double& below = large.values[large.row_offsets[7000]];
  below = std::nextafter(below, 0);
  EXPECT_EQ(symmetry_of(large).mirrors(), Mirrors::round);
  below *= 1 + 1e-12;
  EXPECT_EQ(symmetry_of(large).mirrors(), Mirrors::differ);
}

TEST(Symmetry, OfWhatIsLeftWithoutRowsAlone) {
  const auto inside = [](Index n, std::initializer_list<double> values) {
    const Csr<double> matrix = test::sparse(square(n, values));
    return mirrors_inside(matrix, symmetry_of(matrix));
  };
  EXPECT_EQ(inside(3, {2, 1, 5, 1, 2, 0, 0, 0, 1}), Mirrors::equal);
  EXPECT_EQ(inside(3, {1, 0, 0, 5, 2, 1, 0, 1, 2}), Mirrors::equal);
  EXPECT_EQ(inside(3, {2, 1, 5, 1 + 4e-16, 2, 6, 0, 0, 1}), Mirrors::round);
  EXPECT_EQ(inside(3, {2, 1, 5, 3, 2, 0, 0, 0, 1}), Mirrors::differ);
  EXPECT_EQ(inside(3, {2, 1, 5, 0, 2, 0, 0, 0, 1}), Mirrors::equal);  // two rows alone
  EXPECT_EQ(inside(3, {2, 1, 0, 3, 2, 0, 0, 0, 1}), Mirrors::differ);
  EXPECT_EQ(rows_alone(generate_matrix("grid2d:3")), std::vector<char>());
  EXPECT_EQ(rows_alone(test::sparse(square(2, {1, 0, 0, 1}))), std::vector<char>());
  EXPECT_EQ(rows_alone(test::sparse(square(2, {1, 3, 0, 1}))), (std::vector<char>{0, 1}));
  EXPECT_EQ(rows_alone(test::sparse(square(2, {0, 3, 1, 0}))), std::vector<char>());
}

TEST(Symmetry, TheFurthestPairIsNamed) {
  const auto pair = [](Index n, std::initializer_list<double> values) {
    return to_text(furthest_from_symmetric(test::sparse(square(n, values))));
  };
  EXPECT_EQ(pair(3, {1, 2, 0, 2.5, 1, 5, 0, 7, 1}),
            "a(2, 3) = 5 and a(3, 2) = 7 (numbered from 1)");
  EXPECT_EQ(pair(2, {1, 0, -3, 1}), "a(2, 1) = -3 and a(1, 2) = 0 (numbered from 1)");
}

TEST(Symmetry, OfDiagonals) {
  EXPECT_TRUE(of(2, {1, 0, 0, 2}).positive_diagonal);
  EXPECT_FALSE(of(2, {1, 0, 0, -2}).positive_diagonal);
  EXPECT_EQ(of(2, {1, 0, 0, -2}).zero_diagonals, 0);
  EXPECT_FALSE(of(2, {1, 5, 5, 0}).positive_diagonal);
  EXPECT_EQ(of(2, {1, 5, 5, 0}).zero_diagonals, 1);
  Csr<double> matrix = generate_matrix("grid2d:3");
  matrix.values[0] = 0;  // stored
  EXPECT_EQ(symmetry_of(matrix).zero_diagonals, 1);
  // Whatever the pattern off the diagonal is.
  EXPECT_TRUE(of(2, {1, 7, 0, 2}).positive_diagonal);
}

TEST(Symmetry, OfOthers) {
  const SymmetryFacts none = symmetry_of(Csr<double>{});
  EXPECT_TRUE(none.symmetric_pattern && none.symmetric && none.positive_diagonal);
  const SymmetryFacts wide = symmetry_of(generate_matrix("random_sparse:4:5:2"));
  EXPECT_FALSE(wide.symmetric_pattern || wide.positive_diagonal);
  EXPECT_EQ(wide.zero_diagonals, 0);
}

TEST(Symmetry, OfMatricesForThreads) {
  test::Threads lent(1);
  for (const int threads : {1, 2, 5}) {
    SCOPED_TRACE(threads);
    lent.set(threads);
    Csr<double> matrix = generate_matrix("grid2d:100");
    EXPECT_TRUE(symmetry_of(matrix).symmetric);
    EXPECT_TRUE(symmetry_of(matrix).positive_diagonal);
    matrix.values[matrix.row_offsets[7000]] += 1;
    EXPECT_FALSE(symmetry_of(matrix).symmetric);
    EXPECT_TRUE(symmetry_of(matrix).symmetric_pattern);
    EXPECT_FALSE(symmetry_of(rotate_rows(matrix, 1)).symmetric_pattern);
  }
}

TEST(Symmetry, OfPatternsWithOneEntryElsewhere) {
  test::Threads lent(1);
  const Csr<double> matrix = generate_matrix("grid2d:100");
  for (const int threads : {1, 2, 5}) {
    lent.set(threads);
    for (const Index row : {0, 1, 4999, 5000, 5001, 9897}) {
      SCOPED_TRACE(testing::Message() << threads << " threads, row " << row);
      // The entry right of the diagonal one column further: as many as before on both sides.
      Csr<double> other = matrix;
      const Index right = std::ranges::upper_bound(matrix.row_columns(row), row) -
                          matrix.row_columns(row).begin() + matrix.row_offsets[row];
      ++other.column_indices[right];
      ASSERT_FALSE(
          std::ranges::binary_search(matrix.row_columns(row), other.column_indices[right]));
      EXPECT_FALSE(symmetry_of(other).symmetric_pattern);
    }
  }
}

}  // namespace
}  // namespace spsolve
