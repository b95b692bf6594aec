#pragma once

#include <cuda_runtime_api.h>

#include "core/types.hpp"
#include "dense/lu/blocked_solution.hpp"
#include "solve/operators/options.hpp"

namespace spsolve::cuda::inline dense {

/// A row-major matrix in GPU memory of which one triangle is solved with.
template <typename T>
struct TriangleView {
  Index order;
  const T* at;
  Index stride;
};

/// Columns that solve_triangle() takes at a time: the largest such number up to `left` is 1, 2 or
/// 4.
inline constexpr int most_columns_of_triangle = 4;
inline int columns_of_triangle(Index left) {
  return left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

/// x <- T^-1 b, or with `transposed` T^-T b, for 1, 2 or 4 right-hand sides and a triangle T of a
/// matrix in GPU memory; rows of b are b_stride apart, those of x `columns`: one launch. Blocks of
/// 64 rows wait for each other's parts of x, in an order that a ticket (one int of work space)
/// makes independent of how blocks are scheduled; the next tile of T is on its way while they wait,
/// and their diagonal blocks are inverted then, so that a turn is a product. n^2 / 2 values are
/// read. Same bits from run to run.
template <typename T>
void solve_triangle(Triangle triangle, bool transposed, const TriangleView<T>& a, const T* b,
                    Index b_stride, T* x, int columns, int* ticket, cudaStream_t stream);

/// Loads what solve_triangle() launches for factors in such a precision, each of which is loaded
/// else when it is first launched, some 40 us.
void load_triangle_kernels(Precision precision);

}  // namespace spsolve::cuda::dense
