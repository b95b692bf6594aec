#include "cuda/dense/product_tiles.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "cuda/core/device_array.hpp"
#include "cuda/core/stream.hpp"
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

}  // namespace
}  // namespace spsolve::cuda
