#pragma once

#include <memory>

#include "vectors/products/band_matrix.hpp"
#include "vectors/products/coarsening.hpp"

namespace spsolve::cuda {

/// Coarsening on the current GPU, of a matrix whose products are those of device_band_products().
/// Aggregates are found on the host. None where it is not square, or a rank has no row or one that
/// is longer than 256 entries, of which, and of the longer ones of products, a few lanes would have
/// too much to do. Keeps 4 bytes for each row and 1 for each entry; while it works it takes twice
/// what A takes, and over ranks a copy of P and of A P. Collective.
std::unique_ptr<Coarsening> device_coarsening(const BandMatrix& matrix);

}  // namespace spsolve::cuda
