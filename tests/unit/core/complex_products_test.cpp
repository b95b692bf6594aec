#include "core/blas/complex_products.hpp"

#include <complex>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/scalar.hpp"

namespace spsolve::complex_products {

namespace {

template <typename T>
std::vector<T> random_numbers(Index count) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::uniform_real_distribution<Real<T>> parts(-1, 1);
  std::vector<T> numbers(static_cast<std::size_t>(count));
  for (T& number : numbers) number = T(parts(random), parts(random));
  return numbers;
}

/// Compares C - A op(B), columns with gaps, with sums of textbook products; nothing else of C may
/// change.
template <typename T>
void expect_product(Index m, Index n, Index k, CBLAS_TRANSPOSE op, bool add) {
  const Index lda = m + 1, ldb = (op == CblasNoTrans ? k : n) + 3, ldc = m + 2;
  const auto a = random_numbers<T>(lda * k);
  const auto b = random_numbers<T>(ldb * (op == CblasNoTrans ? n : k));
  const auto before = random_numbers<T>(ldc * n);
  auto c = before;
  subtract(m, n, k, a.data(), lda, op, b.data(), ldb, add, c.data(), ldc);
  const double roundings =
      4.0 * static_cast<double>(k + 2) * std::numeric_limits<Real<T>>::epsilon();
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < ldc; ++i) {
      const Index at = i + j * ldc;
      if (i >= m) {
        ASSERT_EQ(c[at], before[at]) << "row " << i << " of " << m;
        continue;
      }
      Wide<T> sum = add ? Wide<T>(before[at]) : Wide<T>(0);
      for (Index p = 0; p < k; ++p) {
        const T entry = op == CblasNoTrans ? b[p + j * ldb] : b[j + p * ldb];
        sum -= Wide<T>(a[i + p * lda]) * Wide<T>(mirrored(op == CblasConjTrans, entry));
      }
      ASSERT_LE(magnitude(sum - Wide<T>(c[at])), roundings) << m << " x " << n << " x " << k;
    }
  }
}

}  // namespace

template <typename T>
class ComplexProducts : public testing::Test {};
using Types = testing::Types<std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ComplexProducts, Types);

TYPED_TEST(ComplexProducts, AreTakenOffMatricesOfAnySize) {
  for (const CBLAS_TRANSPOSE op : {CblasNoTrans, CblasTrans, CblasConjTrans}) {
    for (const bool add : {false, true}) {
      for (const Index m : {0, 1, 2, 3, 7, 15, 16, 37}) {
        for (const Index n : {0, 1, 2, 3, 4, 7, 8, 9, 22}) {
          for (const Index k : {0, 1, 2, 5, 18}) expect_product<TypeParam>(m, n, k, op, add);
        }
      }
    }
  }
}

/// An imaginary part that is far smaller than the real one keeps its digits: it is no difference of
/// large products.
TYPED_TEST(ComplexProducts, KeepTheDigitsOfSmallParts) {
  using T = TypeParam;
  using R = Real<T>;
  const R tiny = std::numeric_limits<R>::epsilon() / 64;
  const T a(R(3), R(5) * tiny), b(R(7), R(11) * tiny);
  T c(0);
  subtract(1, 1, 1, &a, 1, CblasTrans, &b, 1, true, &c, 1);
  EXPECT_EQ(c.real(), R(-21));
  EXPECT_EQ(c.imag(), -(R(33) * tiny + R(35) * tiny));
}

}  // namespace spsolve::complex_products
