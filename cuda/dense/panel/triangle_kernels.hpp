#pragma once

#include <cuda_runtime_api.h>

#include "core/types.hpp"
#include "dense/lu/blocked_solution.hpp"

namespace spsolve::cuda {

/// x <- T^-1 b for one right-hand side and a triangle T of a row-major n x n matrix in GPU memory:
/// one launch. Blocks of 64 rows wait for each other's parts of x, in an order that a ticket (one
/// int of work space) makes independent of how blocks are scheduled; the next tile of T is on its
/// way while they wait, and their diagonal blocks are inverted then, so that a turn is a product.
/// n^2 / 2 values are read. Same bits from run to run.
template <typename T>
void solve_triangle(Triangle triangle, Index n, const T* a, Index stride, const T* b, T* x,
                    int* ticket, cudaStream_t stream);

}  // namespace spsolve::cuda
