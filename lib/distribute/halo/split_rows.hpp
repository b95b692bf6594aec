#pragma once

#include <vector>

#include "distribute/halo/halo_plan.hpp"
#include "distribute/layout/compressed_rows.hpp"

namespace spsolve::inline distribute {

/// This rank's rows in two parts, A = [interior | boundary]: what multiplies its own rows of X, and
/// can be multiplied at once, and what multiplies the halo. Cut by columns rather than by rows, so
/// that rows at the border wait with their last few terms only, and so that the interior part, the
/// diagonal block of the matrix, is symmetric where the matrix is and the bands of X and Y are the
/// same.
template <typename T>
struct SplitRows {
  Csr<T> interior;                        ///< all rows x own rows of X
  Csr<T> boundary;                        ///< the rows that need the halo x halo rows
  std::vector<LocalIndex> boundary_rows;  ///< row i of `boundary` belongs to row boundary_rows[i]
};

/// Splits rows whose global columns are own rows or halo rows of the plan, rounding to T; columns
/// ascend in both parts. `rows` is given up. Cost: linear in the non-zeros.
template <typename T>
SplitRows<T> split_rows(CompressedRows&& rows, const HaloPlan& plan);

/// Splits rows whose first columns are own rows, and the others the halo's; nothing in either part
/// if there are no others.
SplitRows<double> split_rows(const Csr<double>& rows, Index own_columns);

}  // namespace spsolve::distribute
