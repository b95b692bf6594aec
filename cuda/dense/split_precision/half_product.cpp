#include "cuda/dense/split_precision/half_product.hpp"

namespace spsolve::cuda::inline dense {

namespace {

constexpr std::uint32_t alignment = 16;

using Layout = Owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;

/// The layout of the transpose of a row-major matrix, as cuBLAS goes by columns.
Layout transposed_layout(cudaDataType type, Index rows, Index columns, Index stride) {
  cublasLtMatrixLayout_t layout = nullptr;
  CUDA_CHECK(cublasLtMatrixLayoutCreate(&layout, type, static_cast<std::uint64_t>(columns),
                                        static_cast<std::uint64_t>(rows), stride));
  return Layout(layout);
}

template <typename T>
bool is_aligned(RowMajor<T> matrix) {
  return reinterpret_cast<std::uintptr_t>(matrix.at) % alignment == 0 &&
         static_cast<std::size_t>(matrix.stride) * sizeof(T) % alignment == 0;
}

}  // namespace

HalfProduct::HalfProduct() : handle_(make_cublaslt()) {
  cublasLtMatmulDesc_t product = nullptr;
  CUDA_CHECK(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  product_.reset(product);
}

bool HalfProduct::add(float alpha, RowMajor<const std::uint16_t> a, RowMajor<const std::uint16_t> b,
                      RowMajor<float> c, Index m, Index n, Index k, cudaStream_t stream) {
  if (!is_aligned(a) || !is_aligned(b) || !is_aligned(c)) return false;
  const Layout of_b = transposed_layout(CUDA_R_16F, k, n, b.stride);
  const Layout of_a = transposed_layout(CUDA_R_16F, m, k, a.stride);
  const Layout of_c = transposed_layout(CUDA_R_32F, m, n, c.stride);
  if (!kernel_) {
    cublasLtMatmulPreference_t made = nullptr;
    CUDA_CHECK(cublasLtMatmulPreferenceCreate(&made));
    const Owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy> preference(made);
    for (const auto attribute :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
      CUDA_CHECK(cublasLtMatmulPreferenceSetAttribute(preference.get(), attribute, &alignment,
                                                      sizeof alignment));
    }
    cublasLtMatmulHeuristicResult_t found = {};
    int count = 0;
    const cublasStatus_t status =
        cublasLtMatmulAlgoGetHeuristic(handle_.get(), product_.get(), of_b.get(), of_a.get(),
                                       of_c.get(), of_c.get(), preference.get(), 1, &found, &count);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED || count == 0) return false;
    CUDA_CHECK(status);
    kernel_ = found.algo;
  }
  const float one = 1;
  const cublasStatus_t status =
      cublasLtMatmul(handle_.get(), product_.get(), &alpha, b.at, of_b.get(), a.at, of_a.get(),
                     &one, c.at, of_c.get(), c.at, of_c.get(), &*kernel_, nullptr, 0, stream);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE) return false;
  CUDA_CHECK(status);
  return true;
}

}  // namespace spsolve::cuda::dense
