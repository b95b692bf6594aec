#pragma once

#include <vector>

#include "distribute/layout/row_layout.hpp"
#include "team/team.hpp"

namespace spsolve::inline distribute {

/// Which rows of X this rank gets from whom, and which of its own it gives to whom. The rows of X
/// that a rank needs in addition to its own are its halo, numbered in ascending global order; so
/// those of one neighbour are contiguous. The plan holds for every number of columns of X.
struct HaloPlan {
  struct NeighbourRows {
    int rank = 0;     ///< the neighbour
    Index first = 0;  ///< of the halo rows (receives) or of rows_to_send (sends)
    Index count = 0;  ///< at least 1
  };

  RowLayout bands;                       ///< of X
  Range own;                             ///< this rank's rows of X
  std::vector<Index> halo;               ///< their global numbers, ascending
  std::vector<NeighbourRows> receives;   ///< by rank, ascending
  std::vector<NeighbourRows> sends;      ///< by rank, ascending
  std::vector<LocalIndex> rows_to_send;  ///< own.first + this, neighbour after neighbour

  Index halo_rows() const { return static_cast<Index>(halo.size()); }
  Index sent_rows() const { return static_cast<Index>(rows_to_send.size()); }
};

/// Whether each neighbour gets rows of X that follow each other, so that they need no packing.
bool sends_ranges_only(const HaloPlan& plan);

/// The plan for a rank that needs the rows `needed` of X, ascending, own ones among them or not.
/// Throws on every rank where a band or a halo has more rows than 32 bits number. Collective; each
/// rank tells its neighbours once what it needs.
HaloPlan make_halo_plan(Team& team, const RowLayout& bands, const std::vector<Index>& needed);

}  // namespace spsolve::distribute
