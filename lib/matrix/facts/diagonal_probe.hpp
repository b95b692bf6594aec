#pragma once

#include "matrix/csr.hpp"

namespace spsolve::inline matrix {

/// How fast iteration converges that knows the diagonal of a matrix alone.
struct DiagonalProbe {
  int steps = 0;        ///< that were taken
  double residual = 1;  ///< |r| after them as a part of |r| before

  /// The part of the residual that a step leaves, in the geometric mean; 1 where none was taken.
  double rate() const;
};

/// Takes `most_steps` steps of GMRES (Saad and Schultz 1986) for D^-1 A y = f, D the diagonal of a
/// square matrix A and f random; fewer where the first three leave more than a `hopeless` part of
/// the residual, or where it is nearly zero. No step is taken where an element of D is zero or not
/// finite. Cost: a product and 2 k dot products for step k. The same result for any number of
/// threads.
DiagonalProbe probe_diagonal(const Csr<double>& matrix, int most_steps, double hopeless);

}  // namespace spsolve::matrix
