#pragma once

namespace spsolve::cuda::inline vectors {

/// Quotients of two rows of numbers in GPU memory, one for each column.
struct QuotientView {
  const double* over;
  const double* under;
};

}  // namespace spsolve::cuda::vectors
