#pragma once

#include <cuda_runtime_api.h>

#include "cuda/dense/products/product_of_doubles.hpp"

namespace spsolve::cuda::inline dense {

/// Flops of the largest product that is no slower than the library's, and of its call.
constexpr double most_flops_of_tiles = 2e8;

/// C <- C - A B, or with `forms` C <- A B, for products so small that calling the library takes the
/// host longer (14 us on an H100) than the product takes the GPU: one launch in turn, tiles of C by
/// a thread block each. False, and nothing done, where the library is as good: larger products,
/// rows that do not lie at multiples of 16 bytes, GPUs before compute capability 9.0.
bool multiply_by_tiles(const ProductOfDoubles& product, bool forms, cudaStream_t stream);

}  // namespace spsolve::cuda::dense
