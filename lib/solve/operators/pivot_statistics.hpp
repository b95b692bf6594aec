#pragma once

#include <cmath>
#include <string_view>

#include "core/error.hpp"
#include "core/names/row_names.hpp"
#include "core/types.hpp"

namespace spsolve::inline solve {

/// The facts that the pivots of an elimination tell about its answer, the same on every rank.
struct PivotStatistics {
  double largest_entry = 0;   ///< max |a_ij| before the first step
  double growth = 0;          ///< max |u_ij| / max |a_ij|, u the pivot rows as they are used
  double smallest_pivot = 0;  ///< min |u_kk|
  double largest_pivot = 0;   ///< max |u_kk|

  void include(double pivot, bool first) {
    const double magnitude = std::abs(pivot);
    smallest_pivot = first || magnitude < smallest_pivot ? magnitude : smallest_pivot;
    largest_pivot = first || magnitude > largest_pivot ? magnitude : largest_pivot;
  }
};

/// The advice where a pivot is zero because none was looked for.
inline constexpr const char* advice_without_pivoting =
    "solve.pivoting is none; try solve.pivoting=partial";

/// Throws the Error(not_trustworthy) of every rank for a pivot of step `step` (from 0) of `order`
/// that is zero or not finite; `advice` says what to try against a zero, or "".
inline void check_pivot(double pivot, Index step, Index order, std::string_view advice) {
  const Index of_row = RowNames::told(step), rows = RowNames::count(order);
  if (!std::isfinite(pivot)) {
    fail_everywhere(
        ExitCode::not_trustworthy,
        "elimination overflowed: the pivot of step {} of {} (column {}) is not a finite "
        "number; try solve.method=sparse_lu, or gauss with solve.pivoting=complete, in double",
        of_row, rows, of_row);
  }
  if (pivot != 0) return;
  if (!advice.empty()) {
    fail_everywhere(ExitCode::not_trustworthy, "the pivot of step {} of {} (column {}) is zero; {}",
                    of_row, rows, of_row, advice);
  }
  fail_everywhere(ExitCode::not_trustworthy,
                  "the matrix is singular: at step {} of {} no non-zero pivot is left in column {}",
                  of_row, rows, of_row);
}

}  // namespace spsolve::solve
