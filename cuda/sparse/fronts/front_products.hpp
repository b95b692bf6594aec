#pragma once

#include <cuda_runtime_api.h>

#include "core/types.hpp"

namespace spsolve::cuda::inline sparse {

/// A product of pieces of fronts, all in one arena: C <- C - A B^T, or C <- A B^T, for A of m x k,
/// B of n x k and C of m x n, column-major. Places and leading dimensions are multiples of 16
/// bytes.
struct FrontProduct {
  Index a, b, c;
  int lda, ldb, ldc;
  int m, n, k;
  enum : int { subtract = 0, assign = 1, assign_and_watch = 2 };
  /// assign: C may lie where A does, if n and k are at most a tile's side. assign_and_watch: the
  /// largest magnitude of C counts as a multiplier.
  int what = subtract;
};

/// Rows and columns of C that a thread block computes.
inline constexpr int product_tile = 64;

/// A tile of a product's C.
struct ProductTile {
  int product;
  int row, column;  ///< of tiles
};

/// Computes `count` tiles of these products. `largest`: bits of the largest multiplier as a double.
template <typename T>
void multiply_tiles(const ProductTile* tiles, Index count, const FrontProduct* products, T* arena,
                    unsigned long long* largest, cudaStream_t stream);

}  // namespace spsolve::cuda::sparse
