#pragma once

#include <span>

#include "core/types.hpp"
#include "dense/lu/blocked_solution.hpp"

namespace spsolve::inline dense {

/// LU factorisation of a small row-major matrix A of rows x width values, rows >= width, in one
/// thread: L (unit diagonal not stored) and U take A's place. With `pivoting` rows are swapped
/// whole, and with them the numbers in `order` (one per row). The same bits on every rank that runs
/// the same program: all decide alike, whatever their threads. A pivot that is zero is left as it
/// is, with zeros for its multipliers. Blocked by 16 columns; rows width^2 flops.
template <typename T>
void factor_small(Index rows, Index width, std::span<T> a, bool pivoting, std::span<Index> order);

/// x <- T^-T x for a triangle T of the small row-major matrix at `a`, width x width with leading
/// dimension `stride`, and x of width x `columns`, in one thread. width^2 columns flops.
template <typename T>
void solve_small_transposed(Triangle triangle, Index width, const T* a, Index stride, T* x,
                            Index columns);

}  // namespace spsolve::dense
