#include "matrix/structure.hpp"

#include <gtest/gtest.h>

#include "helpers/reference.hpp"
#include "matrix/generate/generate.hpp"

namespace spsolve {
namespace {

TEST(Structure, OfAGrid) {
  const Structure structure = analyse(generate_matrix("grid2d:10"));
  EXPECT_EQ(structure.nonzeros, 460);
  EXPECT_TRUE(structure.symmetry.symmetric);
  EXPECT_FALSE(structure.symmetry.skew_symmetric);
  EXPECT_EQ(structure.shortest_row, 3);
  EXPECT_EQ(structure.longest_row, 5);
  EXPECT_DOUBLE_EQ(structure.mean_row, 4.6);
  EXPECT_EQ(structure.lower_bandwidth, 10);
  EXPECT_EQ(structure.upper_bandwidth, 10);
  EXPECT_EQ(structure.symmetry.zero_diagonals, 0);
  EXPECT_EQ(structure.largest, 4.0);
  EXPECT_EQ(structure.smallest, 1.0);
  // 3 non-zeros: bin 2 (2-3), 4 and 5: bin 3 (4-7).
  EXPECT_EQ(structure.row_length_histogram, (std::vector<Index>{0, 0, 4, 96}));
}

TEST(Structure, OfKindsOfSymmetry) {
  Dense<double> dense(3, 3);
  dense(0, 1) = 2;
  dense(1, 0) = -2;
  Structure skew = analyse(test::sparse(dense));
  EXPECT_TRUE(skew.symmetry.skew_symmetric);
  EXPECT_FALSE(skew.symmetry.symmetric);
  EXPECT_EQ(skew.empty_rows, 1);
  EXPECT_EQ(skew.symmetry.zero_diagonals, 3);
  dense(1, 0) = 3;
  const Structure pattern = analyse(test::sparse(dense));
  EXPECT_TRUE(pattern.symmetry.symmetric_pattern);
  EXPECT_FALSE(pattern.symmetry.symmetric || pattern.symmetry.skew_symmetric);
  dense(1, 0) = 0;
  EXPECT_FALSE(analyse(test::sparse(dense)).symmetry.symmetric_pattern);
}

TEST(Structure, OfNothing) {
  const Structure structure = analyse(Csr<double>{});
  EXPECT_EQ(structure.rows, 0);
  EXPECT_EQ(structure.shortest_row, 0);
  EXPECT_NE(to_text(structure).find("0 x 0"), std::string::npos);
}

TEST(Transpose, TwiceIsTheMatrix) {
  const Csr<double> matrix = generate_matrix("random_sparse:40:23:5");
  const Csr<double> once = transpose(matrix);
  EXPECT_EQ(once.rows, 23);
  EXPECT_EQ(once.columns, 40);
  for (Index i = 0; i < once.rows; ++i) {
    const auto columns = once.row_columns(i);
    EXPECT_TRUE(std::is_sorted(columns.begin(), columns.end()));
  }
  const Csr<double> twice = transpose(once);
  EXPECT_EQ(twice.row_offsets, matrix.row_offsets);
  EXPECT_EQ(twice.column_indices, matrix.column_indices);
  EXPECT_EQ(twice.values, matrix.values);
}

}  // namespace
}  // namespace spsolve
