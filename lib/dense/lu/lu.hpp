#pragma once

#include <vector>

#include "checkpoint/checkpoints.hpp"
#include "dense/lu/blocked_rows.hpp"
#include "distribute/layout/row_layout.hpp"
#include "distribute/row_exchange.hpp"
#include "matrix/dense.hpp"
#include "process/progress.hpp"
#include "solve/operators/options.hpp"
#include "solve/operators/pivot_statistics.hpp"
#include "team/team.hpp"

namespace spsolve::inline dense {

/// The results of lu in addition to the blocked rows. Every rank knows the pivots of every panel,
/// and in a team their L and U.
template <typename T>
struct LuFactors {
  struct Panel {
    Range columns;
    std::vector<int> owner;  ///< per pivot, in the order of elimination
    /// In a team: L and U of the panel's pivot rows, width squared; empty where
    /// BlockedSolution::keeps_factors().
    std::vector<T> factors;
    Index first_active = 0;  ///< this rank's first active row before the panel
    Index retired = 0;       ///< this rank's pivots in the panel
  };

  PivotStatistics pivots;
  double largest_upper = 0;  ///< max |u_ij| of this rank's rows
  std::vector<Index> order;  ///< step k eliminated with row order[k] of A
  std::vector<Panel> panels;
  std::vector<Index> rows_here;          ///< the row of A at each local place
  std::optional<RowExchange> row_order;  ///< of a team: between bands of x and lists by rows_here
  int redone_panels = 0;                 ///< panels where tournament's multipliers grew too large
  std::optional<LuSeconds> seconds;      ///< of this rank
};

/// Blocked right-looking LU with rows as the unit of everything: a panel of layout.block columns at
/// a time, its pivots are elected, their rows retire in place at the top of their owner's rows,
/// their columns after the panel are sent to all ranks, and every rank updates its own active rows
/// by one matrix product. 2/3 n^3 flops over the ranks; about n^2 / 2 values received by each rank.
///
/// Pivoting::tournament: each rank offers the best rows of its own part of the panel, one
/// all-gather brings their original values to all, and every rank factors that small stack in the
/// same way (Grigori, Demmel, Xiang, CALU, SIAM J. Matrix Anal. Appl. 32, 2011). Where the
/// multipliers would exceed 10, the panel is done again with partial pivoting.
/// Pivoting::partial: column by column, two messages each. Pivoting::none: rows as they come.
/// A rank alone is a team of one that has nobody to elect with: it eliminates the panel where it
/// lies. Alone on a host, tournament and partial are the same.
///
/// Look-ahead: where work overlaps, the next panel is updated first, and its pivots are looked for
/// concurrently with the update of the rest.
///
/// `pivot_team` carries the pivot rows between the ranks' own memories, `candidate_team` the values
/// of those that are elected from (see BlockedRows::pack_rows() and elect()), `team` everything
/// else.
///
/// The rest: where few rows are left and the rows have room for it, every rank eliminates them all
/// for itself; see ReplicatedTail.
///
/// With `checkpoints` it goes on from the newest good one, over any number of ranks (see
/// lu_state.hpp), and keeps itself between two panels; what the ranks wish for travels with their
/// largest multipliers.
///
/// Throws Error(not_trustworthy) on every rank where a pivot is zero or not finite, naming the
/// step, before which others have made `steps_before`. Collective.
template <typename T>
LuFactors<T> factor_lu(Team& team, Team& pivot_team, Team& candidate_team, const RowLayout& layout,
                       BlockedRows<T>& rows, Pivoting pivoting, Progress& progress,
                       Checkpoints* checkpoints = nullptr, Index steps_before = 0);

// Solves of a team with the factors P A = L U; a rank alone has BlockedSolution::solve_whole() for
// that. `x` holds this rank's rows of the right-hand sides on entry and of the solutions on exit,
// those of the contiguous RowLayout{n, ranks}, their height x K. In addition to the factors a rank
// has its own rows of x three times and one panel's rows of x from all ranks: O(n K / ranks + ranks
// K layout.block) values. 2 n^2 K flops over the ranks. Collective.

/// A x = b: x = U^-1 L^-1 P b. The sums of a panel's pivots go to all ranks, which solve for the
/// panel's part of x and take it from their own sums. Two all-gathers a panel by `row_team`, whose
/// messages lie in the ranks' own memory; `team` carries what goes between bands and rows.
template <typename T>
void solve_lu(Team& team, Team& row_team, const BlockedRows<T>& rows, const LuFactors<T>& factors,
              Dense<T>& x);

/// A^T x = b: x = P^T L^-T U^-T b. Blocked rows are columns of L^T and U^T: each rank adds up what
/// its own rows give to a panel's part of x, and all solve with the sums of all ranks. Two
/// all-gathers a panel by `row_team`, too.
template <typename T>
void solve_lu_transposed(Team& team, Team& row_team, const BlockedRows<T>& rows,
                         const LuFactors<T>& factors, Dense<T>& x);

}  // namespace spsolve::dense
