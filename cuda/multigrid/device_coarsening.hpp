#pragma once

#include <memory>

#include "vectors/band_matrix.hpp"
#include "vectors/products/coarsening.hpp"

namespace spsolve::cuda::inline multigrid {

/// Coarsening on the current GPU, of a matrix whose products are those of device_band_products(),
/// of nodes of `size` unknowns, for a near null space of `kinds` vectors, 1 to 6 of each.
/// Aggregates are found on the host. None where it is not square, or a rank has no row or one that
/// is longer than 256 entries (1536 where nodes have several), of which, and of the longer ones of
/// products, a few lanes would have too much to do. Keeps 4 bytes for each node and 1 for each
/// block; while it works it takes twice what A takes, and over ranks a copy of P and of A P.
/// Collective.
std::unique_ptr<Coarsening> device_coarsening(const BandMatrix& matrix, Index size, Index kinds);

}  // namespace spsolve::cuda::multigrid
