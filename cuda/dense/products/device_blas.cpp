#include "cuda/dense/products/device_blas.hpp"

#include <type_traits>

#include "cuda/dense/products/large_products.hpp"
#include "cuda/dense/products/product_tiles.hpp"

namespace spsolve::cuda::inline dense {

namespace {

void gemm(cublasHandle_t handle, cublasOperation_t second, Index m, Index n, Index k, double alpha,
          const double* a, Index lda, const double* b, Index ldb, double beta, double* c,
          Index ldc) {
  CUDA_CHECK(
      cublasDgemm_64(handle, CUBLAS_OP_N, second, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc));
}

void gemm(cublasHandle_t handle, cublasOperation_t second, Index m, Index n, Index k, float alpha,
          const float* a, Index lda, const float* b, Index ldb, float beta, float* c, Index ldc) {
  CUDA_CHECK(
      cublasSgemm_64(handle, CUBLAS_OP_N, second, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc));
}

void gemv(cublasHandle_t handle, Index rows, Index columns, double alpha, const double* a,
          Index lda, const double* x, Index x_step, double* y, Index y_step) {
  const double one = 1;
  CUDA_CHECK(cublasDgemv_64(handle, CUBLAS_OP_T, columns, rows, &alpha, a, lda, x, x_step, &one, y,
                            y_step));
}

void gemv(cublasHandle_t handle, Index rows, Index columns, float alpha, const float* a, Index lda,
          const float* x, Index x_step, float* y, Index y_step) {
  const float one = 1;
  CUDA_CHECK(cublasSgemv_64(handle, CUBLAS_OP_T, columns, rows, &alpha, a, lda, x, x_step, &one, y,
                            y_step));
}

/// Where our own is faster than the library's; else false, and nothing done.
bool multiply_by_own(cublasHandle_t handle, const ProductOfDoubles& product, bool forms) {
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cublasGetStream(handle, &stream));
  return multiply_by_tiles(product, forms, stream) ||
         (!forms && subtract_large_product(product, stream));
}

// B <- op(A)^-1 from the right, for row-major B <- op(A^T)^-1 B.
void trsm(cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t operation,
          cublasDiagType_t diagonal, Index m, Index n, const double* a, Index lda, double* b,
          Index ldb) {
  const double one = 1;
  CUDA_CHECK(cublasDtrsm_64(handle, CUBLAS_SIDE_RIGHT, fill, operation, diagonal, m, n, &one, a,
                            lda, b, ldb));
}

void trsm(cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t operation,
          cublasDiagType_t diagonal, Index m, Index n, const float* a, Index lda, float* b,
          Index ldb) {
  const float one = 1;
  CUDA_CHECK(cublasStrsm_64(handle, CUBLAS_SIDE_RIGHT, fill, operation, diagonal, m, n, &one, a,
                            lda, b, ldb));
}

}  // namespace

template <typename T>
void form_product(const CublasHandle& handle, Index m, Index n, Index k, const T* a, Index lda,
                  const T* b, Index ldb, T* c, Index ldc) {
  if (m == 0 || n == 0 || k == 0) return;
  if constexpr (std::is_same_v<T, double>) {
    if (multiply_by_own(handle.get(), {m, n, k, a, lda, b, ldb, c, ldc}, true)) return;
  }
  gemm(handle.get(), CUBLAS_OP_N, n, m, k, T{1}, b, ldb, a, lda, T{}, c, ldc);
}

template <typename T>
void subtract_product(const CublasHandle& handle, Index m, Index n, Index k, const T* a, Index lda,
                      const T* b, Index ldb, T* c, Index ldc) {
  if (m == 0 || n == 0 || k == 0) return;
  // One column is what solutions for one right-hand side multiply with.
  if (n == 1) return gemv(handle.get(), m, k, T{-1}, a, lda, b, ldb, c, ldc);
  if constexpr (std::is_same_v<T, double>) {
    if (multiply_by_own(handle.get(), {m, n, k, a, lda, b, ldb, c, ldc}, false)) return;
  }
  gemm(handle.get(), CUBLAS_OP_N, n, m, k, T{-1}, b, ldb, a, lda, T{1}, c, ldc);
}

template <typename T>
void subtract_transposed_product(const CublasHandle& handle, Index m, Index n, Index k, const T* a,
                                 Index lda, const T* b, Index ldb, T* c, Index ldc) {
  if (m == 0 || n == 0 || k == 0) return;
  gemm(handle.get(), CUBLAS_OP_T, n, m, k, T{-1}, b, ldb, a, lda, T{1}, c, ldc);
}

template <typename T>
void solve_unit_lower(const CublasHandle& handle, Index w, Index n, const T* l, Index ldl, T* b,
                      Index ldb) {
  if (w == 0 || n == 0) return;
  trsm(handle.get(), CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, n, w, l, ldl, b, ldb);
}

template <typename T>
void solve_upper(const CublasHandle& handle, Index w, Index n, const T* u, Index ldu, T* b,
                 Index ldb) {
  if (w == 0 || n == 0) return;
  trsm(handle.get(), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n, w, u, ldu, b,
       ldb);
}

template <typename T>
void solve_unit_lower_transposed(const CublasHandle& handle, Index w, Index n, const T* l,
                                 Index ldl, T* b, Index ldb) {
  if (w == 0 || n == 0) return;
  trsm(handle.get(), CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, CUBLAS_DIAG_UNIT, n, w, l, ldl, b, ldb);
}

template <typename T>
void solve_upper_transposed(const CublasHandle& handle, Index w, Index n, const T* u, Index ldu,
                            T* b, Index ldb) {
  if (w == 0 || n == 0) return;
  trsm(handle.get(), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, n, w, u, ldu, b,
       ldb);
}

SPSOLVE_INSTANTIATE_FUNCTION(form_product)
SPSOLVE_INSTANTIATE_FUNCTION(subtract_product)
SPSOLVE_INSTANTIATE_FUNCTION(subtract_transposed_product)
SPSOLVE_INSTANTIATE_FUNCTION(solve_unit_lower)
SPSOLVE_INSTANTIATE_FUNCTION(solve_upper)
SPSOLVE_INSTANTIATE_FUNCTION(solve_unit_lower_transposed)
SPSOLVE_INSTANTIATE_FUNCTION(solve_upper_transposed)

}  // namespace spsolve::cuda::dense
