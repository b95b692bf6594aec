#pragma once

#include <cmath>

#include "core/types.hpp"
#include "solve/operators/options.hpp"

namespace spsolve::inline dense {

// The work of eliminations, over all ranks. Methods that eliminate below the pivot only, lu and
// gauss, update (n - k)^2 elements in step k, 2/3 n^3 flops; gauss_jordan, which does so above it,
// too, n (n - k) elements, n^3 flops. Golub, van Loan, Matrix Computations, 4th ed., 3.2.

/// Flops of the elimination of an n x n matrix, to the leading order.
inline double elimination_flops(Method method, Index n) {
  const auto order = static_cast<double>(n);
  return (method == Method::gauss_jordan ? 1.0 : 2.0 / 3.0) * order * order * order;
}

/// The share of those flops that an elimination has done with `done` of n columns, 0 to 1.
inline double share_done(Method method, Index done, Index n) {
  if (n == 0) return 1.0;
  const double left = 1.0 - static_cast<double>(done) / static_cast<double>(n);
  return 1.0 - std::pow(left, method == Method::gauss_jordan ? 2 : 3);
}

}  // namespace spsolve::dense
