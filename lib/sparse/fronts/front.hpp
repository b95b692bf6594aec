#pragma once

#include <algorithm>

#include "core/types.hpp"
#include "sparse/fronts/border_block.hpp"
#include "sparse/fronts/factorization.hpp"
#include "sparse/fronts/tiles.hpp"

namespace spsolve::inline sparse {

/// A front while it is eliminated: p pivots and a border of m rows, column-major.
///
///     F = ( F11 F12 )   lower = ( F11 )              upper = F12^T, LU only
///         ( F21  .  )           ( F21 )
///
/// Afterwards lower holds L (and U11 above the diagonal), upper U12^T, and F's contribution block,
/// for its parent, is - L21 U12, without the contributions of its own children to its border.
template <typename T>
struct Front {
  Index pivots = 0;
  Index border = 0;
  T* lower = nullptr;         ///< (p + m) x p
  T* upper = nullptr;         ///< m x p
  T* contribution = nullptr;  ///< m x m, as BorderBlock has it

  Index height() const { return pivots + border; }
};

/// Flops of pivots `from` ... `to` of a front with p of them and a border of m rows, but for what
/// they take off the border's block: those of front_flops() without p m^2, for L L^T and L D L^T.
inline double pivot_flops(Index p, Index m, Index from, Index to) {
  const auto left = [&](Index k) {
    const auto rest = static_cast<double>(p - k);
    return rest * rest * rest / 3 + rest * rest * static_cast<double>(m);
  };
  return left(from) - left(to);
}

/// F11 = L11 L11^H, L21 = F21 L11^-H. Reads and writes the lower triangle.
template <typename T>
void eliminate_cholesky(const Front<T>& front, const Tiles& tiles, PivotCounts& counts);

/// P F11 = L11 U11 with pivots from F11 only (restricted pivoting), L21 = F21 U11^-1,
/// U12 = L11^-1 P F12. rows[k]: the row of F11 that pivot k was taken from.
template <typename T>
void eliminate_lu(const Front<T>& front, const PivotRule& rule, const Tiles& tiles,
                  LocalIndex* rows, PivotCounts& counts);

/// P F11 P^T = L11 D L11^T with pivots of one or two rows from diagonal blocks of F11 (Bunch and
/// Kaufman 1977, restricted), L21 = F21 P^T L11^-T D^-1; for a `rule` that says so, F11 = F11^H,
/// with L11^H in place of L11^T. rows[k]: the row of F11 that pivot k was
/// taken from; the diagonal of lower holds that of D, and off_diagonal[k] its entry (k + 1, k), or
/// 0. `scratch`: room for scratch_of_pivots() values.
template <typename T>
void eliminate_ldlt(const Front<T>& front, const PivotRule& rule, const Tiles& tiles,
                    LocalIndex* rows, T* off_diagonal, T* scratch, PivotCounts& counts);
Index scratch_of_pivots(Index pivots, Index height);

/// Columns begin ... end of the contribution block: C <- - L21 U12 there (LU), or - L21 D L21^T
/// or - L21 D L21^H from row `begin` on; columns of one panel of its BorderBlock. `scratch`: room
/// for (end - begin) p values, LDL^T only.
template <typename T>
void update_border(Factorization kind, const Front<T>& front, const T* off_diagonal, Index begin,
                   Index end, T* scratch);

}  // namespace spsolve::sparse
