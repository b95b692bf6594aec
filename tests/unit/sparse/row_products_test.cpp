#include "sparse/sweeps/row_products.hpp"

#include <complex>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace spsolve::row_products {

namespace {

using namespace column_blas;

// Columns that compilers know and others, sizes on both sides of what loops take.
constexpr Index column_counts[] = {1, 2, 5, 7, 8, 16, 20};
constexpr Index heights[] = {1, 4, 7, 40}, widths[] = {1, 3, 12, 13, 33};

template <typename T>
std::vector<T> random_values(Index count) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::uniform_real_distribution<double> values(-1, 1);
  std::vector<T> result(static_cast<std::size_t>(count));
  for (T& value : result) {
    if constexpr (is_complex<T>) {
      value = T(values(random), values(random));
    } else {
      value = values(random);
    }
  }
  return result;
}

template <typename T>
double largest_difference(const std::vector<T>& a, const std::vector<T>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, magnitude(a[i] - b[i]));
  return most;
}

/// Takes A Z off rows, or A^T Z, and looks at what is left; multiply(m, w, columns, a, ld, z, b).
template <typename T, typename Multiply>
void expect_product(bool transposed, const Multiply& multiply) {
  for (const Index m : heights) {
    for (const Index w : widths) {
      for (const Index columns : column_counts) {
        const Index ld = m + 2, from = transposed ? m : w, to = transposed ? w : m;
        const std::vector<T> a = random_values<T>(ld * w), z = random_values<T>(from * columns);
        std::vector<T> b = random_values<T>(to * columns + 1), expected = b;
        for (Index i = 0; i < to; ++i) {
          for (Index k = 0; k < from; ++k) {
            const T entry = transposed ? a[k + i * ld] : a[i + k * ld];
            for (Index c = 0; c < columns; ++c) {
              expected[i * columns + c] -= entry * z[k * columns + c];
            }
          }
        }
        multiply(m, w, columns, a.data(), ld, z.data(), b.data());
        EXPECT_LE(largest_difference(b, expected), 1e-13) << m << " x " << w << ", " << columns;
      }
    }
  }
}

}  // namespace

template <typename T>
class RowProducts : public testing::Test {};
using Types = testing::Types<double, std::complex<double>>;
TYPED_TEST_SUITE(RowProducts, Types);

TYPED_TEST(RowProducts, AreTakenOffRows) {
  expect_product<TypeParam>(false, subtract_product<TypeParam>);
  expect_product<TypeParam>(true, subtract_transposed_product<TypeParam>);
}

TYPED_TEST(RowProducts, SolveByEveryTriangleOfSweeps) {
  using T = TypeParam;
  for (const Triangle t :
       {lower, lower_transposed, unit_lower, unit_lower_transposed, upper, upper_transposed}) {
    for (const Index w : widths) {
      for (const Index columns : column_counts) {
        const Index ld = w + 1;
        std::vector<T> a = random_values<T>(ld * w);
        for (T& value : a) value /= static_cast<double>(w);
        for (Index k = 0; k < w; ++k) a[k + k * ld] += 2;
        const auto entry = [&](Index i, Index k) {  // of op(A)
          if (i == k) return t.diagonal == CblasUnit ? T(1) : a[i + i * ld];
          if (t.op == CblasTrans) std::swap(i, k);
          return (t.part == CblasUpper) == (i < k) ? a[i + k * ld] : T(0);
        };
        const std::vector<T> x = random_values<T>(w * columns);
        std::vector<T> z(x.size());
        for (Index i = 0; i < w; ++i) {
          for (Index k = 0; k < w; ++k) {
            for (Index c = 0; c < columns; ++c) {
              z[i * columns + c] += entry(i, k) * x[k * columns + c];
            }
          }
        }
        solve_rows(t, w, columns, a.data(), ld, z.data());
        EXPECT_LE(largest_difference(z, x), 1e-13) << w << " rows, " << columns << " columns";
      }
    }
  }
}

}  // namespace spsolve::row_products
