#include "core/blas.hpp"

#include <algorithm>
#include <vector>

extern "C" {
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*,
            const float*, const int*, const float*, const int*, const float*, float*, const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
            const double*, const int*, const double*, const int*, const double*, double*,
            const int*);
void sgemv_(const char*, const int*, const int*, const float*, const float*, const int*,
            const float*, const int*, const float*, float*, const int*);
void dgemv_(const char*, const int*, const int*, const double*, const double*, const int*,
            const double*, const int*, const double*, double*, const int*);
void strsm_(const char*, const char*, const char*, const char*, const int*, const int*,
            const float*, const float*, const int*, float*, const int*);
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*,
            const double*, const double*, const int*, double*, const int*);
void strsv_(const char*, const char*, const char*, const int*, const float*, const int*, float*,
            const int*);
void dtrsv_(const char*, const char*, const char*, const int*, const double*, const int*, double*,
            const int*);
void sgetrf_(const int*, const int*, float*, const int*, int*, int*);
void dgetrf_(const int*, const int*, double*, const int*, int*, int*);
void dgesv_(const int*, const int*, double*, const int*, int*, double*, const int*, int*);
[[gnu::weak]] void openblas_set_num_threads(int);
}

namespace spsolve::blas {

namespace {

// Column-major calls, by type.

// C <- alpha A B + beta C
void gemm(int m, int n, int k, float alpha, const float* a, int lda, const float* b, int ldb,
          float beta, float* c, int ldc) {
  sgemm_("N", "N", &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
}

void gemm(int m, int n, int k, double alpha, const double* a, int lda, const double* b, int ldb,
          double beta, double* c, int ldc) {
  dgemm_("N", "N", &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
}

// C <- C - A B^T
void subtract_gemm_transposed(int m, int n, int k, const float* a, int lda, const float* b, int ldb,
                              float* c, int ldc) {
  const float minus_one = -1, one = 1;
  sgemm_("N", "T", &m, &n, &k, &minus_one, a, &lda, b, &ldb, &one, c, &ldc);
}

void subtract_gemm_transposed(int m, int n, int k, const double* a, int lda, const double* b,
                              int ldb, double* c, int ldc) {
  const double minus_one = -1, one = 1;
  dgemm_("N", "T", &m, &n, &k, &minus_one, a, &lda, b, &ldb, &one, c, &ldc);
}

// y <- y - A x
void subtract_gemv(int m, int n, const float* a, int lda, const float* x, float* y) {
  const float minus_one = -1, one = 1;
  const int step = 1;
  sgemv_("N", &m, &n, &minus_one, a, &lda, x, &step, &one, y, &step);
}

void subtract_gemv(int m, int n, const double* a, int lda, const double* x, double* y) {
  const double minus_one = -1, one = 1;
  const int step = 1;
  dgemv_("N", &m, &n, &minus_one, a, &lda, x, &step, &one, y, &step);
}

void trsm(char side, char triangle, char diagonal, int m, int n, const float* a, int lda, float* b,
          int ldb) {
  const float one = 1;
  strsm_(&side, &triangle, "N", &diagonal, &m, &n, &one, a, &lda, b, &ldb);
}

void trsm(char side, char triangle, char diagonal, int m, int n, const double* a, int lda,
          double* b, int ldb) {
  const double one = 1;
  dtrsm_(&side, &triangle, "N", &diagonal, &m, &n, &one, a, &lda, b, &ldb);
}

void trsv(char triangle, char diagonal, int n, const float* a, int lda, float* x, int step) {
  strsv_(&triangle, "T", &diagonal, &n, a, &lda, x, &step);
}

void trsv(char triangle, char diagonal, int n, const double* a, int lda, double* x, int step) {
  dtrsv_(&triangle, "T", &diagonal, &n, a, &lda, x, &step);
}

void getrf(int m, int n, float* a, int lda, int* swaps) {
  int info = 0;
  sgetrf_(&m, &n, a, &lda, swaps, &info);
}

void getrf(int m, int n, double* a, int lda, int* swaps) {
  int info = 0;
  dgetrf_(&m, &n, a, &lda, swaps, &info);
}

int size(Index value) {
  return static_cast<int>(value);
}

}  // namespace

void set_threads(int threads) {
  if (openblas_set_num_threads != nullptr) openblas_set_num_threads(threads);
}

// In the calls below a row-major matrix is the column-major transpose of itself: C^T = B^T A^T, and
// a row-major lower triangle is a column-major upper one.

template <typename T>
void product(Index m, Index n, Index k, const T* a, Index lda, const T* b, Index ldb, T* c,
             Index ldc) {
  if (m == 0 || n == 0) return;
  gemm(size(n), size(m), size(k), T{1}, b, size(ldb), a, size(lda), T{0}, c, size(ldc));
}

template <typename T>
void subtract_product(Index m, Index n, Index k, const T* a, Index lda, const T* b, Index ldb, T* c,
                      Index ldc) {
  if (m == 0 || n == 0 || k == 0) return;
  gemm(size(n), size(m), size(k), T{-1}, b, size(ldb), a, size(lda), T{1}, c, size(ldc));
}

template <typename T>
void subtract_transposed_product(Index m, Index n, Index k, const T* a, Index lda, const T* b,
                                 Index ldb, T* c, Index ldc) {
  if (m == 0 || n == 0 || k == 0) return;
  if (n == 1 && ldb == 1 && ldc == 1) return subtract_gemv(size(m), size(k), a, size(lda), b, c);
  subtract_gemm_transposed(size(n), size(m), size(k), b, size(ldb), a, size(lda), c, size(ldc));
}

template <typename T>
void solve_unit_lower(Index w, Index n, const T* l, Index ldl, T* b, Index ldb) {
  if (w == 0 || n == 0) return;
  if (n == 1) return trsv('U', 'U', size(w), l, size(ldl), b, size(ldb));
  trsm('R', 'U', 'U', size(n), size(w), l, size(ldl), b, size(ldb));
}

template <typename T>
void solve_upper(Index w, Index n, const T* u, Index ldu, T* b, Index ldb) {
  if (w == 0 || n == 0) return;
  if (n == 1) return trsv('L', 'N', size(w), u, size(ldu), b, size(ldb));
  trsm('R', 'L', 'N', size(n), size(w), u, size(ldu), b, size(ldb));
}

template <typename T>
void solve_upper_from_right(Index m, Index w, const T* u, Index ldu, T* b, Index ldb) {
  if (m == 0 || w == 0) return;
  trsm('L', 'L', 'N', size(w), size(m), u, size(ldu), b, size(ldb));
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
  dgesv_(&order, &right, a, &leading, swaps.data(), b, &leading, &info);
  return info;
}

template void product(Index, Index, Index, const float*, Index, const float*, Index, float*, Index);
template void product(Index, Index, Index, const double*, Index, const double*, Index, double*,
                      Index);
template void subtract_product(Index, Index, Index, const float*, Index, const float*, Index,
                               float*, Index);
template void subtract_product(Index, Index, Index, const double*, Index, const double*, Index,
                               double*, Index);
template void subtract_transposed_product(Index, Index, Index, const float*, Index, const float*,
                                          Index, float*, Index);
template void subtract_transposed_product(Index, Index, Index, const double*, Index, const double*,
                                          Index, double*, Index);
template void solve_unit_lower(Index, Index, const float*, Index, float*, Index);
template void solve_unit_lower(Index, Index, const double*, Index, double*, Index);
template void solve_upper(Index, Index, const float*, Index, float*, Index);
template void solve_upper(Index, Index, const double*, Index, double*, Index);
template void solve_upper_from_right(Index, Index, const float*, Index, float*, Index);
template void solve_upper_from_right(Index, Index, const double*, Index, double*, Index);
template void factor_columns(Index, Index, float*, Index, int*);
template void factor_columns(Index, Index, double*, Index, int*);

}  // namespace spsolve::blas
