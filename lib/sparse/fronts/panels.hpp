#pragma once

#include "core/types.hpp"
#include "sparse/fronts/factorization.hpp"

namespace spsolve::inline sparse {

// Panels of fronts whose columns are spread over ranks: w columns of a front from the row of their
// first pivot on, `height` rows, column-major. The update of the columns to their right is left to
// whoever has them.

/// L11 L11^H = the first w rows, L21 below.
template <typename T>
void factor_cholesky_panel(Index height, Index w, T* a, Index ld, PivotCounts& counts);

/// P A = L U with pivots from the first `summed` rows. swaps[k]: the row that was swapped with row
/// k, as LAPACK's ipiv, from 0.
template <typename T>
void factor_lu_panel(Index summed, Index height, Index w, T* a, Index ld, const PivotRule& rule,
                     LocalIndex* swaps, PivotCounts& counts);

/// P L D L^T P^T, or P L D L^H P^T for a `rule` that says so, with pivots of one or two rows from
/// the first w rows, w <= widest_ldlt_panel, as eliminate_ldlt() takes them. rows[k]: the row that
/// pivot k was taken from.
template <typename T>
void factor_ldlt_panel(Index height, Index w, T* a, Index ld, const PivotRule& rule,
                       LocalIndex* rows, T* off_diagonal, PivotCounts& counts);
inline constexpr Index widest_ldlt_panel = 64;

/// Swaps rows k and swaps[k] of so many columns, in the order of k.
template <typename T>
void swap_rows(Index columns, T* a, Index ld, const LocalIndex* swaps, Index count);

/// The first w <= widest_ldlt_panel rows of so many columns in the order of `rows`.
template <typename T>
void permute_rows(Index columns, Index w, const LocalIndex* rows, T* b, Index ld);

/// W <- L D for `count` rows of L in w columns; D as the diagonal of a matrix and the entries next
/// to it, whose mirror images are conjugates if D is Hermitian. W has `count` rows.
template <typename T>
void multiply_by_d(bool hermitian, Index count, Index w, const T* l, Index ld, const T* diagonal,
                   Index ldd, const T* off_diagonal, T* product);

}  // namespace spsolve::sparse
