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

TEST(WithoutStoredZeros, OfNothing) {
  const CleanMatrix clean = without_stored_zeros(Csr<double>{});
  EXPECT_EQ(clean.dropped, 0);
  test::expect_equal(clean.matrix, Csr<double>{});
}

}  // namespace
}  // namespace spsolve
