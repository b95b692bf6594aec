#pragma once

#include <type_traits>

#include "core/blas/column_blas.hpp"
#include "sparse/fronts/factorization.hpp"

namespace spsolve::inline sparse::row_products {

// Products and triangles of fronts, column-major, with rows of K values, row-major: what sweeps
// through fronts are made of. One column is taken by own sweeps (vector_sweeps.hpp), more by loops
// in small fronts and by the BLAS in others.

/// The triangles of a factorisation that a solve takes, L or U^T first and then U, L^T or L^T of
/// LU. L^H of a Hermitian A is taken as L^T: of the conjugate of what was found first it makes the
/// conjugate of x.
struct SweepTriangles {
  column_blas::Triangle first, second;
};
inline SweepTriangles sweep_triangles(Factorization kind, bool transposed) {
  using namespace column_blas;
  switch (kind) {
    case Factorization::cholesky:
      return {lower, lower_transposed};
    case Factorization::ldlt:
    case Factorization::ldlh:
      return {unit_lower, unit_lower_transposed};
    default:
      return transposed ? SweepTriangles{upper_transposed, unit_lower_transposed}
                        : SweepTriangles{unit_lower, upper};
  }
}

/// The triangle t for a system that is transposed.
inline column_blas::Triangle flipped(column_blas::Triangle t) {
  t.op = t.op == CblasNoTrans ? CblasTrans : CblasNoTrans;
  return t;
}

/// The number of columns that solves take at once.
using FixedColumns = std::integral_constant<Index, 16>;

/// Calls work(K), with a constant where K is FixedColumns.
template <typename Work>
void with_columns(Index columns, const Work& work) {
  columns == FixedColumns::value ? work(FixedColumns{}) : work(columns);
}

/// Z <- op(A)^-1 Z for w rows of K values.
template <typename T>
void solve_rows(column_blas::Triangle t, Index w, Index columns, const T* a, Index ld, T* z);

/// B <- B - A Z for A of m x w and rows of K values.
template <typename T>
void subtract_product(Index m, Index w, Index columns, const T* a, Index ld, const T* z, T* b);

/// Z <- Z - A^T B likewise.
template <typename T>
void subtract_transposed_product(Index m, Index w, Index columns, const T* a, Index ld, const T* b,
                                 T* z);

/// Z <- D^-1 Z for w rows of K values; D as the diagonal of a column-major matrix and the entries
/// next to it, whose mirror images are conjugates if D is Hermitian.
template <typename T>
void divide_by_d(bool hermitian, Index w, const T* diagonal, Index ld, const T* off_diagonal,
                 Index columns, T* z);

}  // namespace spsolve::sparse::row_products
