#pragma once

#include "cuda/vectors/products/band_product_kernels.hpp"

namespace spsolve::cuda::inline vectors {

/// Rows of maxima, and their width, that subtract_product() leaves: at most 1024.
Index residual_blocks(const RowsView& a, Index columns);
constexpr Index residual_width(Index columns) {
  return 4 * columns + 2;
}

/// The outputs for each row.
struct ResidualRows {
  double* r;
  double* magnitudes;  ///< |A| |x| + |b|; null where that is not wanted
};

/// r <- b - A x in twice the precision, see BandProducts::residual(). The rows of `maxima` are of
/// some rows of A each: max |r_i|, max |b_i|, max |x_i|, max |r_i| / (|A| |x| + |b|)_i, K numbers
/// each, and max over i of sum over j of |a_ij|, and of 1 / that sum.
void subtract_product(const RowsView& a, const LocalRowsView<const double>& x, const double* b,
                      const ResidualRows& to, Index columns, double* maxima, cudaStream_t stream);

}  // namespace spsolve::cuda::vectors
