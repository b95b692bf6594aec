#pragma once

#include <algorithm>
#include <cmath>

#include <cblas.h>

#include "core/types.hpp"

namespace spsolve::inline core::column_blas {

// Operations of the BLAS on column-major matrices, as fronts are stored: element (i, j) of a matrix
// with leading dimension ld is a[i + j * ld]. Every dimension fits an int.

inline int narrow(Index value) {
  return static_cast<int>(value);
}

/// C <- alpha A B^T + beta C for C of m x n, A of m x k, B of n x k.
template <typename T>
void multiply_transposed(Index m, Index n, Index k, T alpha, const T* a, Index lda, const T* b,
                         Index ldb, T beta, T* c, Index ldc) {
  if constexpr (std::is_same_v<T, double>) {
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, narrow(m), narrow(n), narrow(k), alpha, a,
                narrow(lda), b, narrow(ldb), beta, c, narrow(ldc));
  } else {
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, narrow(m), narrow(n), narrow(k), alpha, a,
                narrow(lda), b, narrow(ldb), beta, c, narrow(ldc));
  }
}

/// C <- alpha op(A) B + beta C for C of m x n, op(A) of m x k, B of k x n.
template <typename T>
void multiply(bool transposed, Index m, Index n, Index k, T alpha, const T* a, Index lda,
              const T* b, Index ldb, T beta, T* c, Index ldc) {
  const CBLAS_TRANSPOSE op = transposed ? CblasTrans : CblasNoTrans;
  if constexpr (std::is_same_v<T, double>) {
    cblas_dgemm(CblasColMajor, op, CblasNoTrans, narrow(m), narrow(n), narrow(k), alpha, a,
                narrow(lda), b, narrow(ldb), beta, c, narrow(ldc));
  } else {
    cblas_sgemm(CblasColMajor, op, CblasNoTrans, narrow(m), narrow(n), narrow(k), alpha, a,
                narrow(lda), b, narrow(ldb), beta, c, narrow(ldc));
  }
}

/// y <- alpha op(A) x + beta y for A of m x n.
template <typename T>
void multiply_vector(bool transposed, Index m, Index n, T alpha, const T* a, Index lda, const T* x,
                     T beta, T* y) {
  const CBLAS_TRANSPOSE op = transposed ? CblasTrans : CblasNoTrans;
  if constexpr (std::is_same_v<T, double>) {
    cblas_dgemv(CblasColMajor, op, narrow(m), narrow(n), alpha, a, narrow(lda), x, 1, beta, y, 1);
  } else {
    cblas_sgemv(CblasColMajor, op, narrow(m), narrow(n), alpha, a, narrow(lda), x, 1, beta, y, 1);
  }
}

/// Which triangle of a matrix is meant, and as what.
struct Triangle {
  CBLAS_UPLO part;
  CBLAS_TRANSPOSE op;
  CBLAS_DIAG diagonal;
};
inline constexpr Triangle lower{CblasLower, CblasNoTrans, CblasNonUnit};
inline constexpr Triangle lower_transposed{CblasLower, CblasTrans, CblasNonUnit};
inline constexpr Triangle unit_lower{CblasLower, CblasNoTrans, CblasUnit};
inline constexpr Triangle unit_lower_transposed{CblasLower, CblasTrans, CblasUnit};
inline constexpr Triangle upper{CblasUpper, CblasNoTrans, CblasNonUnit};
inline constexpr Triangle upper_transposed{CblasUpper, CblasTrans, CblasNonUnit};

/// B <- op(A)^-1 B for B of m x n (side CblasLeft), or B <- B op(A)^-1 (CblasRight), for float and
/// double. Of a triangle of at most 64 columns a row of B on the right, or a column on the left,
/// gets the same bits in any company of at least eight.
template <typename T>
void solve_triangle(CBLAS_SIDE side, Triangle t, Index m, Index n, const T* a, Index lda, T* b,
                    Index ldb);

/// x <- op(A)^-1 x for a triangle of n x n.
template <typename T>
void solve_triangle_vector(Triangle t, Index n, const T* a, Index lda, T* x) {
  if constexpr (std::is_same_v<T, double>) {
    cblas_dtrsv(CblasColMajor, t.part, t.op, t.diagonal, narrow(n), a, narrow(lda), x, 1);
  } else {
    cblas_strsv(CblasColMajor, t.part, t.op, t.diagonal, narrow(n), a, narrow(lda), x, 1);
  }
}

/// max |a_ij| of a column-major m x n matrix.
template <typename T>
Real<T> largest_magnitude(Index m, Index n, const T* a, Index ld) {
  Real<T> largest = 0;
  for (Index j = 0; j < n; ++j) {
    const T* column = a + j * ld;
    Real<T> most = 0;
#pragma omp simd reduction(max : most)
    for (Index i = 0; i < m; ++i) most = std::max(most, magnitude(column[i]));
    largest = std::max(largest, most);
  }
  return largest;
}

}  // namespace spsolve::core::column_blas
