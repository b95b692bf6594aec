#include "cuda/multiply/vendor/cublas_gemm.hpp"

#include "cuda/core/stream.hpp"
#include "cuda/core/vendor/vendor.hpp"
#include "cuda/multiply/published/dense_kernels.hpp"

namespace spsolve::cuda::inline multiply {

namespace {

/// C = alpha A B + beta C, column-major, m x n from m x k and k x n.
cublasStatus_t gemm(cublasHandle_t handle, Index m, Index n, Index k, const float* a,
                    const float* b, float* c) {
  const float one = 1, zero = 0;
  return cublasSgemm_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, m, b, k, &zero, c, m);
}
cublasStatus_t gemm(cublasHandle_t handle, Index m, Index n, Index k, const double* a,
                    const double* b, double* c) {
  const double one = 1, zero = 0;
  return cublasDgemm_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, m, b, k, &zero, c, m);
}

template <typename T>
class CublasGemm final : public KernelProduct<T> {
 public:
  CublasGemm(const Csr<T>& matrix, const KernelOptions& options)
      : handle_(make_cublas()), matrix_(DeviceDense<T>::from_csr(matrix, options)) {}

  /// A row-major array read as column-major is the transpose: Y^T = X^T A^T.
  void multiply(const T* x, T* y, Index columns) override {
    if (matrix_.rows == 0) return;
    CUDA_CHECK(cublasSetStream(handle_.get(), current_stream()));
    if (matrix_.columns == 0) {
      CUDA_CHECK(cudaMemsetAsync(y, 0, static_cast<std::size_t>(matrix_.rows * columns) * sizeof(T),
                                 current_stream()));
      return;
    }
    CUDA_CHECK(
        gemm(handle_.get(), columns, matrix_.rows, matrix_.columns, x, matrix_.values.data(), y));
  }
  std::int64_t bytes() const override { return matrix_.bytes(); }
  std::string detail() const override { return version_of(handle_); }

 private:
  CublasHandle handle_;
  DeviceDense<T> matrix_;
};

}  // namespace

template <typename T>
std::unique_ptr<KernelProduct<T>> cublas_gemm(const Csr<T>& matrix, const KernelOptions& options) {
  return std::make_unique<CublasGemm<T>>(matrix, options);
}

SPSOLVE_INSTANTIATE_FUNCTION(cublas_gemm)

}  // namespace spsolve::cuda::multiply
