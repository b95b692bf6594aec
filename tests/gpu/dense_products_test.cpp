#include <cmath>

#include <gtest/gtest.h>

#include "cuda/core/device_array.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/dense/products/large_products.hpp"
#include "cuda/dense/products/product_tiles.hpp"
#include "gpu_test.hpp"
#include "matrix/multivector.hpp"

namespace spsolve::cuda {
namespace {

class ProductTiles : public GpuTest {};

TEST_F(ProductTiles, AreTheProductAndTouchNothingElse) {
  const Stream stream(Stream::Order::alone);
  for (const auto& [m, n, k] : {std::array<Index, 3>{1, 1, 1},
                                {1, 40, 8},
                                {33, 65, 129},
                                {77, 131, 37},
                                {64, 512, 64},
                                {500, 32, 32},
                                {1300, 129, 70},
                                {300, 260, 256},
                                {1999, 600, 30}}) {
    const Index lda = (k + 3) / 2 * 2, ldb = (n + 1) / 2 * 2, ldc = (n + 5) / 2 * 2;
    const Dense<double> a = random_multivector(m, lda, 1), b = random_multivector(k, ldb, 2);
    const Dense<double> before = random_multivector(m, ldc, 3);
    const DeviceArray<double> a_there(a.values), b_there(b.values);
    for (const bool forms : {false, true}) {
      DeviceArray<double> c(before.values);
      const ProductOfDoubles product{m,   n,        k,  a_there.data(), lda, b_there.data(),
                                     ldb, c.data(), ldc};
      ASSERT_TRUE(multiply_by_tiles(product, forms, stream.get()));
      stream.wait();
      std::vector<double> found(before.values.size());
      c.download(found);
      double worst = 0;
      for (Index i = 0; i < m; ++i) {
        for (Index j = 0; j < ldc; ++j) {
          if (j >= n) {
            EXPECT_EQ(found[i * ldc + j], before(i, j));
            continue;
          }
          double sum = 0, magnitudes = std::abs(before(i, j));
          for (Index l = 0; l < k; ++l) {
            sum += a(i, l) * b(l, j);
            magnitudes += std::abs(a(i, l) * b(l, j));
          }
          const double expected = forms ? sum : before(i, j) - sum;
          worst = std::max(worst, std::abs(found[i * ldc + j] - expected) / magnitudes);
        }
      }
      EXPECT_LE(worst, static_cast<double>(k + 2) * unit_roundoff) << m << " " << n << " " << k;
    }
  }
}

TEST_F(ProductTiles, LeaveOthersToTheLibrary) {
  const Stream stream(Stream::Order::alone);
  DeviceArray<double> values(4096);
  double* const a = values.data();
  const ProductOfDoubles fine{8, 8, 8, a, 8, a + 512, 8, a + 1024, 8};
  EXPECT_TRUE(multiply_by_tiles(fine, false, stream.get()));
  ProductOfDoubles odd_stride = fine, odd_start = fine, large = fine;
  odd_stride.ldb = 9;
  odd_start.c += 1;
  large.m = large.n = large.k = 100000;  // refused before anything is touched
  for (const ProductOfDoubles& other : {odd_stride, odd_start, large}) {
    EXPECT_FALSE(multiply_by_tiles(other, false, stream.get()));
  }
  stream.wait();
}

class LargeProducts : public GpuTest {};

/// Whole numbers, so that sums of their products are exact.
Dense<double> small_integers(Index rows, Index columns, std::uint64_t seed) {
  Dense<double> result = random_multivector(rows, columns, seed);
  for (double& value : result.values) value = std::round(8 * value);
  return result;
}

TEST_F(LargeProducts, AreTheProductAndTouchNothingElse) {
  const Stream stream(Stream::Order::alone);
  for (const auto& [m, n, k] : {std::array<Index, 3>{6001, 6007, 700},
                                {4096, 4352, 1504},
                                {2001, 9000, 1401},
                                {9001, 2019, 1400},
                                {8001, 7990, 400}}) {
    const Index lda = (k + 3) / 2 * 2, width = (n + 31) / 16 * 16;
    const Dense<double> a = small_integers(m, lda, 1), b = small_integers(k, width, 2);
    const Dense<double> before = small_integers(m, width, 3);
    const DeviceArray<double> a_there(a.values), b_there(b.values);
    DeviceArray<double> c(before.values);
    const ProductOfDoubles product{m,     n,        k,    a_there.data(), lda, b_there.data(),
                                   width, c.data(), width};
    if (!subtract_large_product(product, stream.get())) GTEST_SKIP() << "not of capability 9";
    stream.wait();
    Dense<double> found = before;
    c.download(found.values);
    // The sum of every row and every column, with weights: C w and v C for w and v of whole
    // numbers.
    const auto weight = [](Index i) { return static_cast<double>(i * 7 % 5 + 1); };
    std::vector<double> b_w(static_cast<std::size_t>(k)), v_a(static_cast<std::size_t>(k));
    for (Index l = 0; l < k; ++l) {
      for (Index j = 0; j < n; ++j) b_w[l] += b(l, j) * weight(j);
    }
    std::vector<double> of_columns(static_cast<std::size_t>(n)), expected(of_columns);
    for (Index i = 0; i < m; ++i) {
      double of_row = 0, expected_of_row = 0;
      for (Index l = 0; l < k; ++l) {
        v_a[l] += weight(i) * a(i, l);
        expected_of_row -= a(i, l) * b_w[l];
      }
      for (Index j = 0; j < width; ++j) {
        if (j >= n) {
          ASSERT_EQ(found(i, j), before(i, j));
          continue;
        }
        of_row += found(i, j) * weight(j);
        expected_of_row += before(i, j) * weight(j);
        of_columns[j] += weight(i) * found(i, j);
        expected[j] += weight(i) * before(i, j);
      }
      ASSERT_EQ(of_row, expected_of_row) << "row " << i << " of " << m << " " << n << " " << k;
    }
    for (Index l = 0; l < k; ++l) {
      for (Index j = 0; j < n; ++j) expected[j] -= v_a[l] * b(l, j);
    }
    EXPECT_EQ(of_columns, expected) << m << " " << n << " " << k;
  }
}

TEST_F(LargeProducts, LeaveOthersToTheLibrary) {
  const Stream stream(Stream::Order::alone);
  DeviceArray<double> values(16);
  double* const a = values.data();  // refused before anything is touched
  const ProductOfDoubles fine{4000, 4000, 512, a, 4000, a, 4000, a, 4000};
  ProductOfDoubles small = fine, odd_stride = fine, odd_start = fine, flat = fine;
  small.m = 8;
  odd_stride.ldb = 4008;
  odd_start.c += 2;
  flat.k = 64;
  for (const ProductOfDoubles& other : {small, odd_stride, odd_start, flat}) {
    EXPECT_FALSE(subtract_large_product(other, stream.get()));
  }
}

}  // namespace
}  // namespace spsolve::cuda
