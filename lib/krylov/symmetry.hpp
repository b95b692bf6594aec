#pragma once

#include "vectors/band_matrix.hpp"

namespace spsolve::inline krylov {

/// Whether u^T A v = v^T A u for two random vectors, as all symmetric matrices have it, and others
/// with probability 0 but for rounding. Two products, three
/// vectors; collective.
bool seems_symmetric(BandMatrix& matrix);

/// The same of the complex matrix of a real form, u^T A v without conjugation: whether A = A^T.
bool seems_complex_symmetric(BandMatrix& matrix);

}  // namespace spsolve::krylov
