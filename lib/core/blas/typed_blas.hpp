#pragma once

#include <cblas.h>
#include <lapacke.h>

#include "core/scalar.hpp"
#include "core/types.hpp"

namespace spsolve::inline core::typed_blas {

// The routines of BLAS and LAPACK by the type of their numbers, one name for each. Complex numbers
// are handed over by their address.

inline int narrow(Index value) {
  return static_cast<int>(value);
}

/// The one of four routines for T: float, double, complex float, complex double.
template <typename T, typename S, typename D, typename C, typename Z>
constexpr auto routine(S single, D twice, C complex_single, Z complex_twice) {
  constexpr bool wide = sizeof(Real<T>) == sizeof(double);
  if constexpr (is_complex<T>) {
    if constexpr (wide) {
      return complex_twice;
    } else {
      return complex_single;
    }
  } else {
    if constexpr (wide) {
      return twice;
    } else {
      return single;
    }
  }
}

/// A factor as the routines take it.
template <typename T>
decltype(auto) factor(const T& value) {
  if constexpr (is_complex<T>) {
    return static_cast<const void*>(&value);
  } else {
    return value;
  }
}

/// A^H as the routines name it: A^T, where A is real.
template <typename T>
constexpr CBLAS_TRANSPOSE named(CBLAS_TRANSPOSE op) {
  return !is_complex<T> && op == CblasConjTrans ? CblasTrans : op;
}

/// C <- alpha op(A) op'(B) + beta C
template <typename T>
void gemm(CBLAS_ORDER order, CBLAS_TRANSPOSE op_a, CBLAS_TRANSPOSE op_b, Index m, Index n, Index k,
          const T& alpha, const T* a, Index lda, const T* b, Index ldb, const T& beta, T* c,
          Index ldc) {
  routine<T>(cblas_sgemm, cblas_dgemm, cblas_cgemm, cblas_zgemm)(
      order, named<T>(op_a), named<T>(op_b), narrow(m), narrow(n), narrow(k), factor(alpha), a,
      narrow(lda), b, narrow(ldb), factor(beta), c, narrow(ldc));
}

/// y <- alpha op(A) x + beta y for A of m x n
template <typename T>
void gemv(CBLAS_ORDER order, CBLAS_TRANSPOSE op, Index m, Index n, const T& alpha, const T* a,
          Index lda, const T* x, const T& beta, T* y) {
  routine<T>(cblas_sgemv, cblas_dgemv, cblas_cgemv, cblas_zgemv)(
      order, named<T>(op), narrow(m), narrow(n), factor(alpha), a, narrow(lda), x, 1, factor(beta),
      y, 1);
}

/// Which triangle of a matrix is meant, and as what.
struct Triangle {
  CBLAS_UPLO part;
  CBLAS_TRANSPOSE op;
  CBLAS_DIAG diagonal;
};

/// B <- op(A)^-1 B, or B <- B op(A)^-1
template <typename T>
void trsm(CBLAS_ORDER order, CBLAS_SIDE side, Triangle t, Index m, Index n, const T* a, Index lda,
          T* b, Index ldb) {
  const T one(1);
  routine<T>(cblas_strsm, cblas_dtrsm, cblas_ctrsm, cblas_ztrsm)(
      order, side, t.part, named<T>(t.op), t.diagonal, narrow(m), narrow(n), factor(one), a,
      narrow(lda), b, narrow(ldb));
}

/// x <- op(A)^-1 x
template <typename T>
void trsv(CBLAS_ORDER order, Triangle t, Index n, const T* a, Index lda, T* x, Index step) {
  routine<T>(cblas_strsv, cblas_dtrsv, cblas_ctrsv, cblas_ztrsv)(
      order, t.part, named<T>(t.op), t.diagonal, narrow(n), a, narrow(lda), x, narrow(step));
}

/// A = P L U, column-major; swaps from 1.
template <typename T>
void getrf(Index m, Index n, T* a, Index lda, int* swaps) {
  using Number =
      std::conditional_t<!is_complex<T>, T,
                         std::conditional_t<sizeof(T) == sizeof(lapack_complex_double),
                                            lapack_complex_double, lapack_complex_float>>;
  const int rows = narrow(m), columns = narrow(n), leading = narrow(lda);
  int info = 0;
  routine<T>(LAPACK_sgetrf, LAPACK_dgetrf, LAPACK_cgetrf, LAPACK_zgetrf)(
      &rows, &columns, reinterpret_cast<Number*>(a), &leading, swaps, &info);
}

}  // namespace spsolve::core::typed_blas
