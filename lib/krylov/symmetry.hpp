#pragma once

#include "vectors/band_matrix.hpp"

namespace spsolve::inline krylov {

/// Whether u^T A v = v^T A u for two random vectors, as all symmetric matrices have it, and others
/// with probability 0 but for rounding. Two products, three
/// vectors; collective.
bool seems_symmetric(BandMatrix& matrix);

}  // namespace spsolve::krylov
