#pragma once

#include <vector>

#include "core/team.hpp"
#include "eliminate/blocked_band.hpp"

namespace spsolve {

/// The pivot rows of a panel in the order of elimination, the same on every rank.
struct Election {
  std::vector<int> owner;    ///< the rank that holds the row
  std::vector<Index> place;  ///< its local number there
  std::vector<Index> row;    ///< its number in A
};

// Three ways to choose the pivots of `panel` among the active rows of all ranks. `rows_here` holds
// the row of A at each local place. The band has the factors then. Collective; fewer active
// rows than columns are never asked for.

/// One all-gather of each rank's best rows, then LU with partial pivoting of their stack (CALU).
/// `candidates` carries the rows' values between the bands' memories, `team` their numbers.
template <typename T>
Election elect_by_tournament(Team& team, Team& candidates, BlockedBand<T>& band, Index first_active,
                             Range panel, const std::vector<Index>& rows_here);

/// LU with partial pivoting of the panel, column by column: an all-gather and a broadcast each.
template <typename T>
Election elect_by_columns(Team& team, BlockedBand<T>& band, Index first_active, Range panel,
                          const std::vector<Index>& rows_here);

/// The rows [panel.first, panel.last) of A, which `owner` holds at its first active places.
template <typename T>
Election take_in_order(Team& team, BlockedBand<T>& band, Index first_active, Range panel,
                       int owner);

}  // namespace spsolve
