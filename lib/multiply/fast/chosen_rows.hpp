#pragma once

#include <memory>

#include "matrix/csr.hpp"
#include "multiply/fast/row_blocks.hpp"

namespace spsolve::inline multiply {

/// Rows for many products with few columns, in the format that is predicted to be the fastest by
/// facts of the pattern (HostTuning): nothing is timed, so that the bits of products depend on the
/// matrix alone. Null where it is fast enough as it is. Cost: reads the matrix two or three times.
std::unique_ptr<RowBlockProduct<double>> choose_rows(const Csr<double>& rows);

}  // namespace spsolve::multiply
