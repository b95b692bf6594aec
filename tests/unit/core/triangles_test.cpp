#include <complex>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/blas/column_blas.hpp"

namespace spsolve::column_blas {

namespace {

/// A triangle whose other half nobody may read, and right-hand sides, in columns with gaps.
template <typename T>
struct System {
  System(CBLAS_SIDE where, Triangle which, Index size, Index others)
      : side(where),
        t(which),
        n(size),
        m(where == CblasRight ? others : size),
        columns(where == CblasRight ? size : others),
        lda(size + 3),
        ldb(m + 2),
        a(static_cast<std::size_t>(n * lda), T(std::numeric_limits<Real<T>>::quiet_NaN())),
        b(static_cast<std::size_t>(columns * ldb), T(7)) {
    std::mt19937 random(static_cast<unsigned>(n * 1000 + others));
    std::uniform_real_distribution<Real<T>> parts(-1, 1);
    const auto values = [&](auto& from) -> T {
      if constexpr (is_complex<T>) {
        return T(parts(from), parts(from));
      } else {
        return parts(from);
      }
    };
    for (Index k = 0; k < n; ++k) {
      for (Index i = 0; i < n; ++i) {
        const bool stored = t.part == CblasUpper ? i < k : i > k;
        if (stored) a[i + k * lda] = values(random) / static_cast<Real<T>>(n);
      }
      if (t.diagonal == CblasNonUnit) a[k + k * lda] = T(1) + values(random) / Real<T>(2);
    }
    for (Index k = 0; k < columns; ++k) {
      for (Index i = 0; i < m; ++i) b[i + k * ldb] = values(random);
    }
  }

  /// Entry (i, k) of op(A).
  Wide<T> entry(Index i, Index k) const {
    const bool conjugate = t.op == CblasConjTrans;
    if (i == k) {
      return t.diagonal == CblasUnit ? Wide<T>(1) : mirrored(conjugate, Wide<T>(a[i + i * lda]));
    }
    if (t.op != CblasNoTrans) std::swap(i, k);
    const bool stored = t.part == CblasUpper ? i < k : i > k;
    return stored ? mirrored(conjugate, Wide<T>(a[i + k * lda])) : Wide<T>(0);
  }

  void solve(std::vector<T>& x) const {
    solve_triangle(side, t, m, columns, a.data(), lda, x.data(), ldb);
  }

  /// The largest entry of op(A) X - B, or of X op(A) - B.
  double residual(const std::vector<T>& x) const {
    double most = 0;
    for (Index k = 0; k < columns; ++k) {
      for (Index i = 0; i < m; ++i) {
        Wide<T> sum = -Wide<T>(b[i + k * ldb]);
        for (Index j = 0; j < n; ++j) {
          sum += side == CblasRight ? Wide<T>(x[i + j * ldb]) * entry(j, k)
                                    : entry(i, j) * Wide<T>(x[j + k * ldb]);
        }
        most = std::max(most, magnitude(sum));
      }
    }
    return most;
  }

  CBLAS_SIDE side;
  Triangle t;
  Index n, m, columns, lda, ldb;
  std::vector<T> a, b;
};

template <typename Visit>
void each_form(const Visit& visit) {
  for (const CBLAS_SIDE side : {CblasLeft, CblasRight}) {
    for (const CBLAS_UPLO part : {CblasLower, CblasUpper}) {
      for (const CBLAS_TRANSPOSE op : {CblasNoTrans, CblasTrans, CblasConjTrans}) {
        for (const CBLAS_DIAG diagonal : {CblasUnit, CblasNonUnit}) {
          visit(side, Triangle{part, op, diagonal});
        }
      }
    }
  }
}

template <typename T>
void expect_solved(double few_roundings) {
  each_form([&](CBLAS_SIDE side, Triangle t) {
    for (const Index n : {1, 3, 8, 13, 64, 65, 150}) {
      for (const Index others : {1, 7, 8, 16, 17, 40}) {
        const System<T> system(side, t, n, others);
        std::vector<T> x = system.b;
        system.solve(x);
        EXPECT_LE(system.residual(x), few_roundings)
            << n << " x " << others << ", side " << side << ", part " << t.part << ", op " << t.op;
        for (Index k = 0; k < system.columns; ++k) {
          for (Index i = system.m; i < system.ldb; ++i) ASSERT_EQ(x[i + k * system.ldb], T(7));
        }
      }
    }
  });
}

}  // namespace

TEST(Triangles, AreSolvedInEveryForm) {
  expect_solved<double>(1e-14);
  expect_solved<float>(1e-5);
  expect_solved<std::complex<double>>(2e-14);
  expect_solved<std::complex<float>>(1e-5);
}

TEST(Triangles, GiveARowTheSameBitsInAnyCompany) {
  constexpr Index n = 50, rows = 45;
  const System<double> whole(CblasRight, upper, n, rows);
  std::vector<double> x = whole.b;
  whole.solve(x);
  for (Index first = 0; first + 9 <= rows; first += 5) {
    std::vector<double> part = whole.b;
    solve_triangle(CblasRight, upper, Index{9}, n, whole.a.data(), whole.lda, part.data() + first,
                   whole.ldb);
    for (Index i = first; i < first + 9; ++i) {
      for (Index k = 0; k < n; ++k) {
        EXPECT_EQ(part[i + k * whole.ldb], x[i + k * whole.ldb]) << "row " << i;
      }
    }
  }
}

}  // namespace spsolve::column_blas
