#pragma once

#include <cstdint>
#include <optional>

#include "core/types.hpp"
#include "cuda/core/vendor/vendor.hpp"

namespace spsolve::cuda::inline dense {

/// A row-major matrix in GPU memory.
template <typename T>
struct RowMajor {
  T* at;
  Index stride;
};

/// C <- C + alpha A B for row-major A and B of halves and C of float, summed in float, by one
/// kernel of cuBLASLt for all shapes: the one that suits the first. cuBLAS takes another for nearly
/// every shape, each of which takes some 2 ms to load, which is more than a product takes.
class HalfProduct {
 public:
  HalfProduct();

  /// C of m x n, A of m x k. False where the kernel does not take these, as it needs all rows to
  /// begin at multiples of 16 bytes, or none is known.
  bool add(float alpha, RowMajor<const std::uint16_t> a, RowMajor<const std::uint16_t> b,
           RowMajor<float> c, Index m, Index n, Index k, cudaStream_t stream);

 private:
  CublasLtHandle handle_;
  Owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy> product_;
  std::optional<cublasLtMatmulAlgo_t> kernel_;
};

}  // namespace spsolve::cuda::dense
