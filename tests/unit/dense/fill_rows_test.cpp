#include "dense/state/fill_rows.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "matrix/generate/generate.hpp"

namespace spsolve {
namespace {

template <typename T>
std::vector<T> filled(const ScaledRows& rows) {
  const Index stride = padded_stride<T>(rows.rows.columns);
  std::vector<T> dense(static_cast<std::size_t>(rows.rows.rows * stride), T{7});
  fill_dense_rows(rows, dense.data(), stride);
  return dense;
}

TEST(FillDenseRows, ScalesBeforeItRounds) {
  Csr<double> matrix = generate_matrix("circuit:200");
  std::vector<double> r(200), c(200);
  for (Index i = 0; i < 200; ++i) {
    r[i] = i % 2 == 0 ? 0x1p-900 : 0x1p3;
    c[i] = i % 3 == 0 ? 0x1p-4 : 0x1p2;
    for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      if (i % 2 == 0) matrix.values[k] *= 0x1p900;  // beyond the range of float
    }
  }
  const ScaledRows scaled(matrix, r, c);
  const Csr<double> copy = scaled.copy();
  EXPECT_NE(copy.values, matrix.values);
  EXPECT_EQ(filled<double>(scaled), filled<double>(copy));
  EXPECT_EQ(filled<float>(scaled), filled<float>(copy));
  EXPECT_EQ(filled<float>(scaled)[0], static_cast<float>(matrix.values[0] * r[0] * c[0]));
}

}  // namespace
}  // namespace spsolve
