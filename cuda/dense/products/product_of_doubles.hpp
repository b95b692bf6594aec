#pragma once

#include "core/types.hpp"

namespace spsolve::cuda::inline dense {

/// A product of row-major matrices in GPU memory: C of m x n, A of m x k, B of k x n.
struct ProductOfDoubles {
  Index m, n, k;
  const double* a;
  Index lda;
  const double* b;
  Index ldb;
  double* c;
  Index ldc;

  double flops() const {
    return 2 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};

}  // namespace spsolve::cuda::dense
