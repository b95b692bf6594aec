#pragma once

#include <vector>

#include "checkpoint/checkpoints.hpp"
#include "core/progress.hpp"
#include "core/team.hpp"
#include "distribute/cyclic_rows.hpp"
#include "eliminate/blocked_band.hpp"
#include "eliminate/options.hpp"
#include "eliminate/pivot_statistics.hpp"
#include "matrix/dense.hpp"

namespace spsolve {

/// What lu leaves beside the bands. A rank alone: everything is in its band, rows in the order of
/// their elimination. In a team, every rank knows the pivots of every panel and their L and U.
template <typename T>
struct LuFactors {
  struct Panel {
    Range columns;
    std::vector<int> owner;  ///< per pivot, in the order of elimination
    std::vector<T> factors;  ///< L and U of the panel's pivot rows, width squared
    Index first_active = 0;  ///< this rank's first active row before the panel
    Index retired = 0;       ///< this rank's pivots in the panel
  };

  PivotStatistics pivots;
  std::vector<Index> order;          ///< step k eliminated with row order[k] of A
  std::vector<Panel> panels;         ///< of a team
  std::vector<Index> rows_here;      ///< of a team: the row of A at each local place
  int redone_panels = 0;             ///< panels where tournament's multipliers grew too large
  std::optional<LuSeconds> seconds;  ///< of this rank
};

/// Blocked right-looking LU with rows as the unit of everything: a panel of layout.block columns at
/// a time, its pivots are elected, their rows retire in place at the top of their owner's rows,
/// what lies behind the panel is sent to all ranks, and every rank updates its own active rows by
/// one matrix product. 2/3 n^3 flops over the ranks; about n^2 / 2 values received by each rank.
///
/// Pivoting::tournament: each rank offers the best rows of its own part of the panel, one
/// all-gather brings their original values to all, and every rank factors that small stack in the
/// same way (Grigori, Demmel, Xiang, CALU, SIAM J. Matrix Anal. Appl. 32, 2011). Where the
/// multipliers would exceed 10, the panel is done again with partial pivoting.
/// Pivoting::partial: column by column, two messages each. Pivoting::none: rows as they come.
/// Alone on a host, tournament and partial are the same.
///
/// Look-ahead: where bands overlap, the next panel is updated first, and its pivots are looked for
/// beside the update of the rest.
///
/// `rows` carries the pivot rows between the bands' own memories, `candidates` the values of those
/// that are elected from (see BlockedBand::row_buffer() and candidate_buffer()), `team` everything
/// else.
///
/// With `checkpoints` it goes on from the newest good one, over any number of ranks (see
/// lu_state.hpp), and keeps itself between two panels; what the ranks wish for travels with their
/// largest multipliers.
///
/// Throws Error(not_trustworthy) on every rank where a pivot is zero or not finite, naming the
/// step. Collective.
template <typename T>
LuFactors<T> factor_lu(Team& team, Team& rows, Team& candidates, const CyclicRows& layout,
                       BlockedBand<T>& band, Pivoting pivoting, Progress& progress,
                       Checkpoints* checkpoints = nullptr);

/// Solves A x = b with the factors. `x` holds the right-hand sides on entry and the solutions on
/// exit, n x K, whole and the same on every rank. 2 n^2 K flops and two all-gathers a panel, by
/// `rows`, whose messages lie in the bands' own memory. Collective.
template <typename T>
void solve_lu(Team& team, Team& rows, const BlockedBand<T>& band, const LuFactors<T>& factors,
              Dense<T>& x);

extern template LuFactors<float> factor_lu(Team&, Team&, Team&, const CyclicRows&,
                                           BlockedBand<float>&, Pivoting, Progress&, Checkpoints*);
extern template LuFactors<double> factor_lu(Team&, Team&, Team&, const CyclicRows&,
                                            BlockedBand<double>&, Pivoting, Progress&,
                                            Checkpoints*);
extern template void solve_lu(Team&, Team&, const BlockedBand<float>&, const LuFactors<float>&,
                              Dense<float>&);
extern template void solve_lu(Team&, Team&, const BlockedBand<double>&, const LuFactors<double>&,
                              Dense<double>&);

}  // namespace spsolve
