#pragma once

#include <memory>

#include "vectors/vectors.hpp"

namespace spsolve {

/// Orthonormal vectors that span the columns of W but for what depends on others to six digits, of
/// as many columns as are left: QR by Cholesky's factors with diagonal pivoting, twice, as one pass
/// leaves round-off. What is not finite is left out. Two reductions of K^2 numbers. Collective.
std::unique_ptr<Vectors> orthonormal(const Vectors& w);

}  // namespace spsolve
