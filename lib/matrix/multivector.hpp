#pragma once

#include "matrix/dense.hpp"

namespace spsolve::inline matrix {

/// A rows x columns multivector of values uniform in [-1, 1), hashes of seed and position: the
/// same on every machine, for any number of threads. With `first_row`, rows first_row, first_row +
/// 1,
/// ... of a larger one.
Dense<double> random_multivector(Index rows, Index columns, Index seed, Index first_row = 0);

}  // namespace spsolve::matrix
