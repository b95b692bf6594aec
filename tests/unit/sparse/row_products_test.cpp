#include "sparse/sweeps/row_products.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace spsolve::row_products {

namespace {

using namespace column_blas;

// Columns that compilers know and others, sizes on both sides of what loops take.
constexpr Index column_counts[] = {1, 2, 5, 7, 8, 16, 20};
constexpr Index heights[] = {1, 4, 7, 40}, widths[] = {1, 3, 12, 13, 33};

std::vector<double> random_values(Index count) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::uniform_real_distribution<double> values(-1, 1);
  std::vector<double> result(static_cast<std::size_t>(count));
  for (double& value : result) value = values(random);
  return result;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

template <typename Visit>
void each_size(const Visit& visit) {
  for (const Index m : heights) {
    for (const Index w : widths) {
      for (const Index columns : column_counts) visit(m, w, columns);
    }
  }
}

}  // namespace

TEST(RowProducts, AreTakenOffRows) {
  each_size([](Index m, Index w, Index columns) {
    const Index ld = m + 2;
    const std::vector<double> a = random_values(ld * w), z = random_values(w * columns + 8);
    std::vector<double> b = random_values(m * columns), expected = b;
    for (Index i = 0; i < m; ++i) {
      for (Index k = 0; k < w; ++k) {
        for (Index c = 0; c < columns; ++c) {
          expected[i * columns + c] -= a[i + k * ld] * z[k * columns + c];
        }
      }
    }
    subtract_product(m, w, columns, a.data(), ld, z.data(), b.data());
    EXPECT_LE(largest_difference(b, expected), 1e-13) << m << " x " << w << ", " << columns;
  });
}

TEST(RowProducts, AreTakenOffByTheTranspose) {
  each_size([](Index m, Index w, Index columns) {
    const Index ld = m + 2;
    const std::vector<double> a = random_values(ld * w), b = random_values(m * columns + 8);
    std::vector<double> z = random_values(w * columns), expected = z;
    for (Index k = 0; k < w; ++k) {
      for (Index i = 0; i < m; ++i) {
        for (Index c = 0; c < columns; ++c) {
          expected[k * columns + c] -= a[i + k * ld] * b[i * columns + c];
        }
      }
    }
    subtract_transposed_product(m, w, columns, a.data(), ld, b.data(), z.data());
    EXPECT_LE(largest_difference(z, expected), 1e-13) << m << " x " << w << ", " << columns;
  });
}

TEST(RowProducts, SolveByEveryTriangleOfSweeps) {
  for (const Triangle t :
       {lower, lower_transposed, unit_lower, unit_lower_transposed, upper, upper_transposed}) {
    for (const Index w : widths) {
      for (const Index columns : column_counts) {
        const Index ld = w + 1;
        std::vector<double> a = random_values(ld * w);
        for (double& value : a) value /= static_cast<double>(w);
        for (Index k = 0; k < w; ++k) a[k + k * ld] += 2;
        const auto entry = [&](Index i, Index k) {  // of op(A)
          if (i == k) return t.diagonal == CblasUnit ? 1.0 : a[i + i * ld];
          if (t.op == CblasTrans) std::swap(i, k);
          return (t.part == CblasUpper) == (i < k) ? a[i + k * ld] : 0.0;
        };
        const std::vector<double> x = random_values(w * columns);
        std::vector<double> z(x.size());
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
