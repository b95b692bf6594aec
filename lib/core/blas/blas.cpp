#include "core/blas/blas.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include <cblas.h>
#include <lapacke.h>

// OpenBLAS's; other libraries have none.
extern "C" [[gnu::weak]] void openblas_set_num_threads(int);
extern "C" [[gnu::weak]] int openblas_get_num_threads();

namespace spsolve::inline core::blas {

namespace {

[[maybe_unused]] const bool kernels_are_chosen = choose_kernels();

// Row-major calls of BLAS, and column-major ones of LAPACK, by type.

// C <- alpha op(A) B + beta C
void gemm(CBLAS_TRANSPOSE op, int m, int n, int k, float alpha, const float* a, int lda,
          const float* b, int ldb, float beta, float* c, int ldc) {
  cblas_sgemm(CblasRowMajor, op, CblasNoTrans, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void gemm(CBLAS_TRANSPOSE op, int m, int n, int k, double alpha, const double* a, int lda,
          const double* b, int ldb, double beta, double* c, int ldc) {
  cblas_dgemm(CblasRowMajor, op, CblasNoTrans, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

// y <- y - A^T x for A of k x m
void subtract_gemv_transposed(int k, int m, const float* a, int lda, const float* x, float* y) {
  cblas_sgemv(CblasRowMajor, CblasTrans, k, m, -1, a, lda, x, 1, 1, y, 1);
}

void subtract_gemv_transposed(int k, int m, const double* a, int lda, const double* x, double* y) {
  cblas_dgemv(CblasRowMajor, CblasTrans, k, m, -1, a, lda, x, 1, 1, y, 1);
}

void trsm(CBLAS_SIDE side, CBLAS_UPLO triangle, CBLAS_DIAG diagonal, int m, int n, const float* a,
          int lda, float* b, int ldb) {
  cblas_strsm(CblasRowMajor, side, triangle, CblasNoTrans, diagonal, m, n, 1, a, lda, b, ldb);
}

void trsm(CBLAS_SIDE side, CBLAS_UPLO triangle, CBLAS_DIAG diagonal, int m, int n, const double* a,
          int lda, double* b, int ldb) {
  cblas_dtrsm(CblasRowMajor, side, triangle, CblasNoTrans, diagonal, m, n, 1, a, lda, b, ldb);
}

void trsv(CBLAS_UPLO triangle, CBLAS_DIAG diagonal, int n, const float* a, int lda, float* x,
          int step) {
  cblas_strsv(CblasRowMajor, triangle, CblasNoTrans, diagonal, n, a, lda, x, step);
}

void trsv(CBLAS_UPLO triangle, CBLAS_DIAG diagonal, int n, const double* a, int lda, double* x,
          int step) {
  cblas_dtrsv(CblasRowMajor, triangle, CblasNoTrans, diagonal, n, a, lda, x, step);
}

void getrf(int m, int n, float* a, int lda, int* swaps) {
  int info = 0;
  LAPACK_sgetrf(&m, &n, a, &lda, swaps, &info);
}

void getrf(int m, int n, double* a, int lda, int* swaps) {
  int info = 0;
  LAPACK_dgetrf(&m, &n, a, &lda, swaps, &info);
}

int size(Index value) {
  return static_cast<int>(value);
}

}  // namespace

void set_threads(int threads) {
  if (openblas_set_num_threads != nullptr) openblas_set_num_threads(threads);
}

int threads() {
  return openblas_get_num_threads != nullptr ? openblas_get_num_threads() : 0;
}

namespace {

std::atomic<int> mapped_for{0};  // so many threads; what is mapped stays

}  // namespace

std::int64_t bytes_to_map(int threads) {
  if (openblas_get_num_threads == nullptr || threads <= mapped_for) return 0;
  constexpr std::int64_t buffer = 128 << 20;  // its largest, which it takes on x86-64
  const int mapped = std::max(openblas_get_num_threads(), mapped_for.load());
  return std::max(0, threads + 1 - mapped) * buffer;
}

void map_buffers(int threads) {
  set_threads(threads);
  if (threads <= mapped_for) return;
  constexpr Index n = 128;  // enough for the library to share the work among its threads
  const std::vector<double> a(static_cast<std::size_t>(n * n), 0.0);
  std::vector<double> c(a);
  product(n, n, n, a.data(), n, a.data(), n, c.data(), n);
  mapped_for = threads;
}

template <typename T>
void product(Index m, Index n, Index k, const T* a, Index lda, const T* b, Index ldb, T* c,
             Index ldc) {
  if (m == 0 || n == 0) return;
  gemm(CblasNoTrans, size(m), size(n), size(k), T{1}, a, size(lda), b, size(ldb), T{0}, c,
       size(ldc));
}

template <typename T>
void subtract_product(Index m, Index n, Index k, const T* a, Index lda, const T* b, Index ldb, T* c,
                      Index ldc) {
  if (m == 0 || n == 0 || k == 0) return;
  gemm(CblasNoTrans, size(m), size(n), size(k), T{-1}, a, size(lda), b, size(ldb), T{1}, c,
       size(ldc));
}

template <typename T>
void subtract_transposed_product(Index m, Index n, Index k, const T* a, Index lda, const T* b,
                                 Index ldb, T* c, Index ldc) {
  if (m == 0 || n == 0 || k == 0) return;
  if (n == 1 && ldb == 1 && ldc == 1) {
    return subtract_gemv_transposed(size(k), size(m), a, size(lda), b, c);
  }
  gemm(CblasTrans, size(m), size(n), size(k), T{-1}, a, size(lda), b, size(ldb), T{1}, c,
       size(ldc));
}

template <typename T>
void solve_unit_lower(Index w, Index n, const T* l, Index ldl, T* b, Index ldb) {
  if (w == 0 || n == 0) return;
  if (n == 1) return trsv(CblasLower, CblasUnit, size(w), l, size(ldl), b, size(ldb));
  trsm(CblasLeft, CblasLower, CblasUnit, size(w), size(n), l, size(ldl), b, size(ldb));
}

template <typename T>
void solve_upper(Index w, Index n, const T* u, Index ldu, T* b, Index ldb) {
  if (w == 0 || n == 0) return;
  if (n == 1) return trsv(CblasUpper, CblasNonUnit, size(w), u, size(ldu), b, size(ldb));
  trsm(CblasLeft, CblasUpper, CblasNonUnit, size(w), size(n), u, size(ldu), b, size(ldb));
}

template <typename T>
void solve_upper_from_right(Index m, Index w, const T* u, Index ldu, T* b, Index ldb) {
  if (m == 0 || w == 0) return;
  trsm(CblasRight, CblasUpper, CblasNonUnit, size(m), size(w), u, size(ldu), b, size(ldb));
}

template <typename T>
void factor_columns(Index m, Index n, T* a, Index lda, int* swaps) {
  if (m == 0 || n == 0) return;
  getrf(size(m), size(n), a, size(lda), swaps);
  for (Index i = 0; i < std::min(m, n); ++i) --swaps[i];
}

int solve_system(Index n, Index columns, double* a, double* b) {
  const int order = size(n);
  const int right = size(columns);
  const int leading = std::max(order, 1);
  std::vector<int> swaps(static_cast<std::size_t>(leading));
  int info = 0;
  LAPACK_dgesv(&order, &right, a, &leading, swaps.data(), b, &leading, &info);
  return info;
}

SPSOLVE_INSTANTIATE_FUNCTION(product)
SPSOLVE_INSTANTIATE_FUNCTION(subtract_product)
SPSOLVE_INSTANTIATE_FUNCTION(subtract_transposed_product)
SPSOLVE_INSTANTIATE_FUNCTION(solve_unit_lower)
SPSOLVE_INSTANTIATE_FUNCTION(solve_upper)
SPSOLVE_INSTANTIATE_FUNCTION(solve_upper_from_right)
SPSOLVE_INSTANTIATE_FUNCTION(factor_columns)

}  // namespace spsolve::core::blas
