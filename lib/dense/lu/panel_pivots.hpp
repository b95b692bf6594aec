#pragma once

#include <vector>

#include "dense/lu/blocked_rows.hpp"
#include "team/team.hpp"

namespace spsolve::inline dense {

/// The pivot rows of a panel in the order of elimination, the same on every rank.
struct PanelPivots {
  std::vector<int> owner;    ///< the rank that holds the row
  std::vector<Index> place;  ///< its local number there
  std::vector<Index> row;    ///< its number in A

  /// The numbers i of the pivots that are `rank`'s, ascending.
  std::vector<Index> of(int rank) const {
    std::vector<Index> pivots;
    for (std::size_t i = 0; i < owner.size(); ++i) {
      if (owner[i] == rank) pivots.push_back(static_cast<Index>(i));
    }
    return pivots;
  }
};

// Ways to choose the pivots of `panel` among the active rows of all ranks of a team: an offer_...()
// and merge_candidates() what all offered, or one of the others. `rows_here` holds the row of A at
// each local place. `rows` has the factors then. Collective; fewer active rows than columns are
// never asked for.

/// One all-gather of each rank's best rows, whose stack merge_candidates() then has the LU of
/// (CALU). `candidate_team` carries the rows' values between the ranks' own memories, `team` their
/// numbers.
template <typename T>
PanelPivots best_candidates(Team& team, Team& candidate_team, BlockedRows<T>& rows,
                            Index first_active, Range panel, const std::vector<Index>& rows_here);

/// The most of `active` rows that a rank has where they are dealt out evenly enough for all to be
/// offered: a quarter above its share, and the width of a panel. Plans of memory reckon with it.
constexpr Index most_candidates(Index active, Index width, Index ranks) {
  return 5 * active / (4 * ranks) + width;
}

/// One all-gather of all active rows, whose stack merge_candidates() then has the LU of: active[r]
/// are the places of rank r, most_candidates() of them at most. They are not numbered yet.
template <typename T>
PanelPivots all_candidates(Team& candidate_team, BlockedRows<T>& rows,
                           std::span<const Range> active, int rank, Range panel);

/// The first rows of `stack` by LU with partial pivoting, as many as the panel has columns.
template <typename T>
PanelPivots merge_candidates(const PanelPivots& candidates, Team& team, BlockedRows<T>& rows,
                             Range panel, const std::vector<Index>& rows_here);

/// LU with partial pivoting of the panel, column by column: an all-gather and a broadcast each.
template <typename T>
PanelPivots pivots_by_columns(Team& team, BlockedRows<T>& rows, Index first_active, Range panel,
                              const std::vector<Index>& rows_here);

/// The rows [panel.first, panel.last) of A, which `owner` holds at its first active places.
template <typename T>
PanelPivots pivots_in_order(Team& team, BlockedRows<T>& rows, Index first_active, Range panel,
                            int owner);

}  // namespace spsolve::dense
