#pragma once

#include <cuda_runtime_api.h>

#include "core/types.hpp"
#include "matrix/dense.hpp"
#include "vectors/multivector/vectors.hpp"

namespace spsolve::cuda {

/// A random system whose matrix is made in GPU memory: random_dense:ORDER:seed=SEED with `diagonal`
/// added to a_ii, right-hand side random_multivector(ORDER, 1, SEED).
struct GpuSystem {
  Index order = 0;
  Index seed = 1;
  double diagonal = 0;

  unsigned long long key() const;
  Dense<double> right_hand_side() const;

  /// ||b - A x|| / (||A|| ||x|| + ||b||) in the infinity norm, x whole on every rank or in bands;
  /// each rank's GPU makes the rows of its contiguous band. Collective.
  double backward_error(Team& team, const Dense<double>& x) const;
  double backward_error(const Vectors& x) const;
};

}  // namespace spsolve::cuda
