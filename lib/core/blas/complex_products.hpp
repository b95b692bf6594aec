#pragma once

#include <cblas.h>

#include "core/types.hpp"

namespace spsolve::inline core::complex_products {

/// Whether products of this size are sooner done here than by the BLAS, whose calls copy both
/// factors.
bool are_worth_it(Index m, Index n, Index k);

/// C <- C - A op(B), or C <- - A op(B) if it does not `add`, for C of m x n, A of m x k and op(B)
/// of k x n, all column-major.
template <typename T>
void subtract(Index m, Index n, Index k, const T* a, Index lda, CBLAS_TRANSPOSE op, const T* b,
              Index ldb, bool add, T* c, Index ldc);

}  // namespace spsolve::core::complex_products
