#pragma once

#include <string>

#include "core/types.hpp"

namespace spsolve::inline core::blas {

// The few BLAS and LAPACK operations that elimination needs, for row-major matrices: element
// (i, j) of a matrix with leading dimension ld is a[i * ld + j]. float and double; every dimension
// must fit an int. Nothing is copied.

/// How many threads the library uses. No effect with libraries that offer no such call; an OpenBLAS
/// on OpenMP sets what the caller's own parallel regions take, too.
void set_threads(int threads);

/// How many it uses now; 0 where that cannot be told.
int threads();

/// Address space that the library still has to map before `threads` threads may call it, or one of
/// them with work for all: an OpenBLAS has a buffer for each of its threads, which it maps when it
/// is loaded or told of more, and one more for the caller, and where it gets none, it tries again
/// for ever. 0 for other libraries.
std::int64_t bytes_to_map(int threads);

/// set_threads(), and the library maps those buffers now, where it has not before.
void map_buffers(int threads);

/// The library that was loaded, as it says itself or by its file, with the processors that its
/// kernels are written for and its threads now, where it tells: "OpenBLAS 0.3.21, SkylakeX kernels,
/// 2 threads".
std::string library();

/// An OpenBLAS that is older than the processor may not know it, and compute by kernels of 2004:
/// has it take those that it would take by OPENBLAS_CORETYPE, where that is not in the environment,
/// and nothing had loaded the library before this code, so that nobody computes by it. Is called
/// when this code is loaded, before main() of a program. Hands back whether it did.
bool choose_kernels();

/// Where its kernels leave instructions of this processor unused, a sentence that says so and what
/// to do; or "".
std::string faster_kernels();

/// C <- A B for C of m x n, A of m x k, B of k x n.
template <typename T>
void product(Index m, Index n, Index k, const T* a, Index lda, const T* b, Index ldb, T* c,
             Index ldc);

/// C <- C - A B for C of m x n, A of m x k, B of k x n.
template <typename T>
void subtract_product(Index m, Index n, Index k, const T* a, Index lda, const T* b, Index ldb, T* c,
                      Index ldc);

/// C <- C - A^T B for C of m x n, A of k x m, B of k x n.
template <typename T>
void subtract_transposed_product(Index m, Index n, Index k, const T* a, Index lda, const T* b,
                                 Index ldb, T* c, Index ldc);

/// B <- L^-1 B for the unit lower triangle L of a w x w matrix, B of w x n.
template <typename T>
void solve_unit_lower(Index w, Index n, const T* l, Index ldl, T* b, Index ldb);

/// B <- U^-1 B for the upper triangle U of a w x w matrix, B of w x n.
template <typename T>
void solve_upper(Index w, Index n, const T* u, Index ldu, T* b, Index ldb);

/// B <- B U^-1 for the upper triangle U of a w x w matrix, B of m x w.
template <typename T>
void solve_upper_from_right(Index m, Index w, const T* u, Index ldu, T* b, Index ldb);

/// LAPACK's getrf on a column-major m x n matrix: A = P L U with partial pivoting. `swaps` holds
/// min(m, n) 0-based rows: step i swapped rows i and swaps[i].
template <typename T>
void factor_columns(Index m, Index n, T* a, Index lda, int* swaps);

/// LAPACK's gesv as others call it, for comparisons: solves A x = b for a column-major n x n A and
/// n x K b, both overwritten. Hands back LAPACK's info: 0, or the 1-based step of a zero pivot.
int solve_system(Index n, Index columns, double* a, double* b);

}  // namespace spsolve::core::blas
