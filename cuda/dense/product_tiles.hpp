#pragma once

#include <cuda_runtime_api.h>

#include "core/types.hpp"

namespace spsolve::cuda {

/// A product of row-major matrices in GPU memory: C of m x n, A of m x k, B of k x n.
struct ProductOfDoubles {
  Index m, n, k;
  const double* a;
  Index lda;
  const double* b;
  Index ldb;
  double* c;
  Index ldc;
};

/// C <- C - A B, or with `forms` C <- A B, for products so small that calling the library takes the
/// host longer (14 us on an H100) than the product takes the GPU: one launch in turn, tiles of C by
/// a thread block each. False, and nothing done, where the library is as good: larger products,
/// rows that do not lie at multiples of 16 bytes, GPUs before compute capability 9.0.
bool multiply_by_tiles(const ProductOfDoubles& product, bool forms, cudaStream_t stream);

}  // namespace spsolve::cuda
