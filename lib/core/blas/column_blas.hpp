#pragma once

#include <algorithm>
#include <cmath>

#include "core/blas/complex_products.hpp"
#include "core/blas/typed_blas.hpp"
#include "core/types.hpp"

namespace spsolve::inline core::column_blas {

// Operations of the BLAS on column-major matrices, as fronts are stored: element (i, j) of a matrix
// with leading dimension ld is a[i + j * ld]. Every dimension fits an int.

/// C <- alpha A op(B) + beta C where it is complex and small; whether it was.
template <typename T>
bool multiply_small(Index m, Index n, Index k, const T& alpha, const T* a, Index lda,
                    CBLAS_TRANSPOSE op, const T* b, Index ldb, const T& beta, T* c, Index ldc) {
  if constexpr (is_complex<T>) {
    if (alpha == T(-1) && (beta == T(1) || beta == T(0)) &&
        complex_products::are_worth_it(m, n, k)) {
      complex_products::subtract(m, n, k, a, lda, op, b, ldb, beta == T(1), c, ldc);
      return true;
    }
  }
  return false;
}

/// C <- alpha A B^T + beta C for C of m x n, A of m x k, B of n x k; A B^H where `op` is
/// CblasConjTrans.
template <typename T>
void multiply_transposed(Index m, Index n, Index k, std::type_identity_t<T> alpha, const T* a,
                         Index lda, const T* b, Index ldb, std::type_identity_t<T> beta, T* c,
                         Index ldc, CBLAS_TRANSPOSE op = CblasTrans) {
  if (multiply_small<T>(m, n, k, alpha, a, lda, op, b, ldb, beta, c, ldc)) return;
  typed_blas::gemm(CblasColMajor, CblasNoTrans, op, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

/// C <- alpha op(A) B + beta C for C of m x n, op(A) of m x k, B of k x n.
template <typename T>
void multiply(CBLAS_TRANSPOSE op, Index m, Index n, Index k, std::type_identity_t<T> alpha,
              const T* a, Index lda, const T* b, Index ldb, std::type_identity_t<T> beta, T* c,
              Index ldc) {
  if (op == CblasNoTrans && multiply_small<T>(m, n, k, alpha, a, lda, op, b, ldb, beta, c, ldc)) {
    return;
  }
  typed_blas::gemm(CblasColMajor, op, CblasNoTrans, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

/// y <- alpha op(A) x + beta y for A of m x n.
template <typename T>
void multiply_vector(CBLAS_TRANSPOSE op, Index m, Index n, std::type_identity_t<T> alpha,
                     const T* a, Index lda, const T* x, std::type_identity_t<T> beta, T* y) {
  typed_blas::gemv(CblasColMajor, op, m, n, alpha, a, lda, x, beta, y);
}

using typed_blas::Triangle;
inline constexpr Triangle lower{CblasLower, CblasNoTrans, CblasNonUnit};
inline constexpr Triangle lower_transposed{CblasLower, CblasTrans, CblasNonUnit};
inline constexpr Triangle lower_adjoint{CblasLower, CblasConjTrans, CblasNonUnit};
inline constexpr Triangle unit_lower{CblasLower, CblasNoTrans, CblasUnit};
inline constexpr Triangle unit_lower_transposed{CblasLower, CblasTrans, CblasUnit};
inline constexpr Triangle unit_lower_adjoint{CblasLower, CblasConjTrans, CblasUnit};
inline constexpr Triangle upper{CblasUpper, CblasNoTrans, CblasNonUnit};
inline constexpr Triangle upper_transposed{CblasUpper, CblasTrans, CblasNonUnit};

/// B <- op(A)^-1 B for B of m x n (side CblasLeft), or B <- B op(A)^-1 (CblasRight). A row
/// of B on the right of a triangle of at most 32 columns, 64 real ones, or a column on its left,
/// gets the same bits in any company of at least eight.
template <typename T>
void solve_triangle(CBLAS_SIDE side, Triangle t, Index m, Index n, const T* a, Index lda, T* b,
                    Index ldb);

/// x <- op(A)^-1 x for a triangle of n x n.
template <typename T>
void solve_triangle_vector(Triangle t, Index n, const T* a, Index lda, T* x) {
  typed_blas::trsv(CblasColMajor, t, n, a, lda, x, 1);
}

/// max |re a_ij| + |im a_ij| of a column-major m x n matrix.
template <typename T>
Real<T> largest_size(Index m, Index n, const T* a, Index ld) {
  Real<T> largest = 0;
  for (Index j = 0; j < n; ++j) {
    const T* column = a + j * ld;
    Real<T> most = 0;
#pragma omp simd reduction(max : most)
    for (Index i = 0; i < m; ++i) most = std::max(most, pivot_size(column[i]));
    largest = std::max(largest, most);
  }
  return largest;
}

}  // namespace spsolve::core::column_blas
