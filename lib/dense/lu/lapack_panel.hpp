#pragma once

#include <span>

#include "core/types.hpp"

namespace spsolve::inline dense {

// Panels of dense rows, row-major with leading dimension `stride`, for LAPACK, which takes columns.

/// columns <- the rows x width panel, column-major without gaps.
template <typename T>
void copy_panel(const T* panel, Index stride, Index rows, Index width, T* columns);

/// LU with partial pivoting of the panel: L below and U on and above the diagonal, in place; step i
/// swapped rows i and swaps[i], counted from the first. `columns` has room for the panel. rows
/// width^2 flops. Returns the first column whose pivot is zero or not finite, or -1.
template <typename T>
Index factor_panel_by_lapack(T* panel, Index stride, Index rows, Index width, T* columns,
                             std::span<int> swaps);

/// The first of `count` pivots, `step` apart, that is zero or not finite, or -1.
template <typename T>
Index bad_pivot(const T* pivots, Index step, Index count);

}  // namespace spsolve::dense
