#pragma once

#include <memory>

#include "vectors/multivector/vectors.hpp"

namespace spsolve::inline krylov {

/// Orthonormal vectors that span the columns of W but for columns that depend on others to six
/// digits, of as many columns as are left: QR by Cholesky's factors with diagonal pivoting, twice,
/// as one pass leaves round-off. Columns that are not finite are left out. Two reductions of K^2
/// numbers. Collective.
std::unique_ptr<Vectors> orthonormal(const Vectors& w);

}  // namespace spsolve::krylov
