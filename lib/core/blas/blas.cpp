#include "core/blas/blas.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "core/blas/typed_blas.hpp"

// OpenBLAS's; other libraries have none.
extern "C" [[gnu::weak]] void openblas_set_num_threads(int);
extern "C" [[gnu::weak]] int openblas_get_num_threads();

namespace spsolve::inline core::blas {

namespace {

[[maybe_unused]] const bool kernels_are_chosen = choose_kernels();

// C <- alpha op(A) B + beta C, row-major
template <typename T>
void gemm(CBLAS_TRANSPOSE op, Index m, Index n, Index k, T alpha, const T* a, Index lda, const T* b,
          Index ldb, T beta, T* c, Index ldc) {
  typed_blas::gemm(CblasRowMajor, op, CblasNoTrans, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
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
  gemm(CblasNoTrans, m, n, k, T(1), a, lda, b, ldb, T(0), c, ldc);
}

template <typename T>
void subtract_product(Index m, Index n, Index k, const T* a, Index lda, const T* b, Index ldb, T* c,
                      Index ldc) {
  if (m == 0 || n == 0 || k == 0) return;
  gemm(CblasNoTrans, m, n, k, T(-1), a, lda, b, ldb, T(1), c, ldc);
}

template <typename T>
void subtract_transposed_product(Index m, Index n, Index k, const T* a, Index lda, const T* b,
                                 Index ldb, T* c, Index ldc) {
  if (m == 0 || n == 0 || k == 0) return;
  if (n == 1 && ldb == 1 && ldc == 1) {
    return typed_blas::gemv(CblasRowMajor, CblasTrans, k, m, T(-1), a, lda, b, T(1), c);
  }
  gemm(CblasTrans, m, n, k, T(-1), a, lda, b, ldb, T(1), c, ldc);
}

namespace {

// B <- A^-1 B for a triangle of a w x w matrix, row-major
template <typename T>
void solve_from_left(typed_blas::Triangle t, Index w, Index n, const T* a, Index lda, T* b,
                     Index ldb) {
  if (w == 0 || n == 0) return;
  if (n == 1) return typed_blas::trsv(CblasRowMajor, t, w, a, lda, b, ldb);
  typed_blas::trsm(CblasRowMajor, CblasLeft, t, w, n, a, lda, b, ldb);
}

}  // namespace

template <typename T>
void solve_unit_lower(Index w, Index n, const T* l, Index ldl, T* b, Index ldb) {
  solve_from_left({CblasLower, CblasNoTrans, CblasUnit}, w, n, l, ldl, b, ldb);
}

template <typename T>
void solve_upper(Index w, Index n, const T* u, Index ldu, T* b, Index ldb) {
  solve_from_left({CblasUpper, CblasNoTrans, CblasNonUnit}, w, n, u, ldu, b, ldb);
}

template <typename T>
void solve_upper_from_right(Index m, Index w, const T* u, Index ldu, T* b, Index ldb) {
  if (m == 0 || w == 0) return;
  typed_blas::trsm(CblasRowMajor, CblasRight, {CblasUpper, CblasNoTrans, CblasNonUnit}, m, w, u,
                   ldu, b, ldb);
}

template <typename T>
void factor_columns(Index m, Index n, T* a, Index lda, int* swaps) {
  if (m == 0 || n == 0) return;
  typed_blas::getrf(m, n, a, lda, swaps);
  for (Index i = 0; i < std::min(m, n); ++i) --swaps[i];
}

int solve_system(Index n, Index columns, double* a, double* b) {
  const int order = typed_blas::narrow(n);
  const int right = typed_blas::narrow(columns);
  const int leading = std::max(order, 1);
  std::vector<int> swaps(static_cast<std::size_t>(leading));
  int info = 0;
  LAPACK_dgesv(&order, &right, a, &leading, swaps.data(), b, &leading, &info);
  return info;
}

SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(product)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(subtract_product)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(subtract_transposed_product)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(solve_unit_lower)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(solve_upper)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(solve_upper_from_right)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(factor_columns)

}  // namespace spsolve::core::blas
