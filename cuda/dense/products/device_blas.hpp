#pragma once

#include "core/types.hpp"
#include "cuda/core/vendor/vendor.hpp"

namespace spsolve::cuda::inline dense {

// The cuBLAS operations of an elimination, for row-major matrices in GPU memory: element (i, j) of
// a matrix with leading dimension ld is a[i * ld + j]. As in core/blas/blas.hpp, a row-major
// operation is the library's column-major one on the transposes. They run on the handle's stream.

/// C <- A B for C of m x n, A of m x k, B of k x n.
template <typename T>
void form_product(const CublasHandle& handle, Index m, Index n, Index k, const T* a, Index lda,
                  const T* b, Index ldb, T* c, Index ldc);

/// C <- C - A B, likewise.
template <typename T>
void subtract_product(const CublasHandle& handle, Index m, Index n, Index k, const T* a, Index lda,
                      const T* b, Index ldb, T* c, Index ldc);

/// C <- C - A^T B for C of m x n, A of k x m, B of k x n.
template <typename T>
void subtract_transposed_product(const CublasHandle& handle, Index m, Index n, Index k, const T* a,
                                 Index lda, const T* b, Index ldb, T* c, Index ldc);

/// B <- L^-1 B for the unit lower triangle L of a w x w matrix, B of w x n.
template <typename T>
void solve_unit_lower(const CublasHandle& handle, Index w, Index n, const T* l, Index ldl, T* b,
                      Index ldb);

/// B <- U^-1 B for the upper triangle U of a w x w matrix, B of w x n.
template <typename T>
void solve_upper(const CublasHandle& handle, Index w, Index n, const T* u, Index ldu, T* b,
                 Index ldb);

/// B <- L^-T B, and B <- U^-T B, likewise.
template <typename T>
void solve_unit_lower_transposed(const CublasHandle& handle, Index w, Index n, const T* l,
                                 Index ldl, T* b, Index ldb);
template <typename T>
void solve_upper_transposed(const CublasHandle& handle, Index w, Index n, const T* u, Index ldu,
                            T* b, Index ldb);

}  // namespace spsolve::cuda::dense
