#pragma once

#include <cuda_runtime_api.h>

#include "cuda/dense/products/product_of_doubles.hpp"

namespace spsolve::cuda::inline dense {

/// C <- C - A B for products so large that the power of the GPU bounds them: an H100 does 51.1
/// TFLOP/s for m = n = 33000, k = 1024 where the library does 49.3, and its LU of order 25000 takes
/// 0.243 s for 0.252. Blocks of 128 x 128 of C, one on a multiprocessor, whose operands a TMA unit
/// copies. False, and nothing done, where the library is as good: small products, B and C that do
/// not lie in whole lines of 128 bytes, GPUs of other compute capabilities than 9.
bool subtract_large_product(const ProductOfDoubles& product, cudaStream_t stream);

}  // namespace spsolve::cuda::dense
