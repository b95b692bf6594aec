#pragma once

#include <cuda_runtime_api.h>

#include "core/types.hpp"

namespace spsolve::cuda {

/// Which triangle of an eliminated matrix: L with its unit diagonal not stored, or U.
enum class Triangle { unit_lower, upper };

/// Work space of solve_triangle(): as many ints, zeros, and left as zeros.
Index triangle_flags(Index n);

/// x <- T^-1 x for one right-hand side and a triangle T of a row-major n x n matrix in GPU memory:
/// one launch. Blocks of 64 rows wait for each other's parts of x by flags in memory, in an order
/// that a ticket makes independent of how blocks are scheduled; the next tile of T is on its way
/// while they wait, and their diagonal blocks are inverted then, so that a turn is a product. n^2 / 2 values are read. Same bits from run to run.
template <typename T>
void solve_triangle(Triangle triangle, Index n, const T* a, Index stride, T* x, int* flags,
                    cudaStream_t stream);

}  // namespace spsolve::cuda
