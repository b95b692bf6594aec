#include "sparse/pattern/clean.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "helpers/reference.hpp"
#include "matrix/generate/generate.hpp"

namespace spsolve {
namespace {

TEST(WithoutStoredZeros, KeepsTheRest) {
  for (const char* spec : {"grid2d:4", "random_sparse:300:200:90"}) {
    const Csr<double> all = generate_matrix(spec);
    Csr<double> matrix = all, expected;
    expected.rows = all.rows;
    expected.columns = all.columns;
    for (Index i = 0; i < all.rows; ++i) {
      for (Index k = all.row_offsets[i]; k < all.row_offsets[i + 1]; ++k) {
        if (k % 7 == 0 || i == 3) {
          matrix.values[k] = k % 2 == 0 ? 0.0 : -0.0;
        } else {
          expected.column_indices.push_back(all.column_indices[k]);
          expected.values.push_back(all.values[k]);
        }
      }
      expected.row_offsets.push_back(static_cast<Index>(expected.values.size()));
    }
    const CleanMatrix clean = without_stored_zeros(matrix);
    test::expect_equal(clean.matrix, expected);
    EXPECT_EQ(clean.dropped, all.nonzeros() - expected.nonzeros());
    EXPECT_EQ(without_stored_zeros(all).dropped, 0);
    test::expect_equal(without_stored_zeros(all).matrix, all);
  }
}

TEST(WithoutStoredZeros, KeepsWhatIsNoNumber) {
  Csr<double> matrix = generate_matrix("grid2d:2");
  matrix.values[0] = std::numeric_limits<double>::quiet_NaN();
  matrix.values[1] = std::numeric_limits<double>::infinity();
  matrix.values[2] = std::numeric_limits<double>::denorm_min();
  matrix.values[3] = 0;
  const CleanMatrix clean = without_stored_zeros(matrix);
  EXPECT_EQ(clean.dropped, 1);
  EXPECT_TRUE(std::isnan(clean.matrix.values[0]));
  EXPECT_EQ(clean.matrix.values[2], std::numeric_limits<double>::denorm_min());
}

TEST(WithMirrors, PatternsAreSymmetricAndValuesStay) {
  Dense<double> full(4, 4);
  for (const auto& [i, j, value] : {std::tuple<Index, Index, double>{0, 0, 2},
                                    {1, 1, 2},
                                    {2, 2, 2},
                                    {3, 3, 2},
                                    {0, 1, -1},
                                    {1, 0, -1},
                                    {0, 3, 1e-17},
                                    {2, 1, -1e-17}}) {
    full(i, j) = value;
  }
  const Csr<double> matrix = test::sparse(full);
  const Csr<double> mirrored = with_mirrors(matrix);
  EXPECT_TRUE(symmetry_of(mirrored).symmetric_pattern);
  EXPECT_EQ(mirrored.nonzeros(), matrix.nonzeros() + 2);
  EXPECT_EQ(test::dense(mirrored).values, full.values);
  // Stored zeros of both go, one whose mirror is not zero stays.
  Csr<double> stored = mirrored;
  const Index first = stored.row_offsets[1];
  EXPECT_EQ(stored.column_indices[first], 0);
  stored.values[first] = stored.values[stored.row_offsets[0] + 1] = 0;
  EXPECT_EQ(with_mirrors(stored).nonzeros(), stored.nonzeros() - 2);
  const auto clean = cleaned(stored, symmetry_of(stored));
  ASSERT_TRUE(clean);
  const TakenEntries entries = without_zeros(stored, *clean);
  EXPECT_EQ(entries.left_out, (std::vector<Index>{1, first}));
  EXPECT_EQ(std::ssize(entries.taken), clean->nonzeros());
}

TEST(WithoutStoredZeros, OfNothing) {
  const CleanMatrix clean = without_stored_zeros(Csr<double>{});
  EXPECT_EQ(clean.dropped, 0);
  test::expect_equal(clean.matrix, Csr<double>{});
}

}  // namespace
}  // namespace spsolve
