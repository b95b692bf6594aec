#pragma once

#include "matrix/csr.hpp"
#include "vectors/multivector/host_vectors.hpp"
#include "vectors/products/band_products.hpp"

namespace spsolve::inline vectors {

/// x by the local numbers of its rows: `height` own ones first, then the halo.
struct LocalRows {
  const double* own;
  Index height;
  const HaloView& halo;

  const double* row(Index j) const {
    return j < height ? own + j * halo.columns : halo.row(j - height);
  }
};

/// BandProducts::residual() of rows in host memory.
ResidualNorms host_residual(const Csr<double>& rows, const HostVectors& right,
                            const HostVectors& own, const HaloView& halo, HostVectors& result,
                            HostVectors* scales);

}  // namespace spsolve::vectors
