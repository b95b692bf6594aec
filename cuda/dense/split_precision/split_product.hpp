#pragma once

#include <cstdint>

#include "cuda/core/device_array.hpp"
#include "cuda/core/vendor/vendor.hpp"
#include "cuda/dense/split_precision/half_product.hpp"

namespace spsolve::cuda::inline dense {

/// C <- C - A B for row-major matrices of float at the speed of tensor cores: every number is the
/// sum of two halves, high + low, which hold 22 of its 24 bits, and A B is high high + high low +
/// low high, summed in float by one product of three times the inner dimension (Markidis et al.,
/// 2018; Ootomo and Yokota, "Recovering single precision accuracy from Tensor Cores", IJHPCA 36,
/// 2022). Errors are about those of float, relative to the largest entries; numbers 2^-25 times
/// below those of `largest` are lost, as are all of L below 2^-31.
///
/// A holds multipliers, up to 1000; B may be up to 16000 times as large as the `largest` of
/// set_largest(). Larger entries become infinite, and a pivot that is not finite tells.
class SplitProduct {
 public:
  /// Room for A of rows x inner and B of inner x columns.
  SplitProduct(Index rows, Index inner, Index columns);

  /// Bytes of GPU memory that it allocates.
  static std::int64_t bytes(Index rows, Index inner, Index columns);

  /// Before all else: the largest entry of the matrix that is eliminated.
  void set_largest(double largest);

  /// Splits A, m x k, for the products to come.
  void take_left(const float* a, Index stride, Index m, Index k, cudaStream_t stream);

  /// C <- C - A B for C of m x n, B of k x n, on the handle's stream, which is `stream`.
  void subtract(const CublasHandle& handle, const float* b, Index ldb, Index n, float* c, Index ldc,
                cudaStream_t stream);

 private:
  using Half = std::uint16_t;

  DeviceArray<Half> left_;   // m x 3k: high, high, low
  DeviceArray<Half> right_;  // 3k x n: high, low, high
  HalfProduct product_;
  Index rows_ = 0;
  Index inner_ = 0;
  float right_scale_ = 1;
};

}  // namespace spsolve::cuda::dense
