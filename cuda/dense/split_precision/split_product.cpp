#include "cuda/dense/split_precision/split_product.hpp"

#include <algorithm>
#include <cmath>

#include "cuda/dense/split_precision/split_kernels.hpp"

namespace spsolve::cuda::inline dense {

namespace {

// Half reaches 2^16: multipliers may be 2^10, entries 2^14 times the largest.
constexpr float left_scale = 64;
constexpr int right_exponent = 2;

/// Tensor cores read rows that begin at multiples of 16 bytes.
constexpr Index padded(Index columns) {
  return (columns + 7) / 8 * 8;
}

}  // namespace

SplitProduct::SplitProduct(Index rows, Index inner, Index columns)
    : left_(rows * padded(3 * inner)), right_(3 * inner * padded(columns)) {}

std::int64_t SplitProduct::bytes(Index rows, Index inner, Index columns) {
  return (rows * padded(3 * inner) + 3 * inner * padded(columns)) *
         static_cast<std::int64_t>(sizeof(Half));
}

void SplitProduct::set_largest(double largest) {
  int exponent = 0;
  if (largest > 0 && std::isfinite(largest)) std::frexp(largest, &exponent);
  // Within the range of float, which its own reciprocal must not leave either.
  right_scale_ = std::ldexp(1.0F, std::clamp(right_exponent - exponent, -100, 100));
}

void SplitProduct::take_left(const float* a, Index stride, Index m, Index k, cudaStream_t stream) {
  rows_ = m;
  inner_ = k;
  Half* const to = left_.data();
  split_into_half_precision(a, stride, m, k, left_scale, {to, to + k, to + 2 * k, padded(3 * k)},
                            stream);
}

void SplitProduct::subtract(const CublasHandle& handle, const float* b, Index ldb, Index n,
                            float* c, Index ldc, cudaStream_t stream) {
  if (rows_ == 0 || inner_ == 0 || n == 0) return;
  const Index ld = padded(n);
  Half* const to = right_.data();
  split_into_half_precision(b, ldb, inner_, n, right_scale_,
                            {to, to + 2 * inner_ * ld, to + inner_ * ld, ld}, stream);
  const float minus = -1 / (left_scale * right_scale_);
  if (product_.add(minus, {left_.data(), padded(3 * inner_)}, {to, ld}, {c, ldc}, rows_, n,
                   3 * inner_, stream)) {
    return;
  }
  const float one = 1;
  CUDA_CHECK(cublasGemmEx_64(handle.get(), CUBLAS_OP_N, CUBLAS_OP_N, n, rows_, 3 * inner_, &minus,
                             to, CUDA_R_16F, ld, left_.data(), CUDA_R_16F, padded(3 * inner_), &one,
                             c, CUDA_R_32F, ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

}  // namespace spsolve::cuda::dense
