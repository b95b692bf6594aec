#pragma once

#include "core/team.hpp"
#include "distribute/row_bands.hpp"
#include "matrix/dense.hpp"

namespace spsolve {

/// Brings the rows `rows` of `x`, as `owner` has them, to all ranks. Collective.
template <typename T>
void share_rows(Team& team, Dense<T>& x, Range rows, int owner) {
  broadcast(team, std::span<T>(x.row(rows.first), rows.size() * x.columns), owner);
}

/// Brings every rank's band of rows to all ranks. Collective.
template <typename T>
void share_bands(Team& team, const RowBands& bands, Dense<T>& x) {
  for (int owner = 0; owner < team.size(); ++owner) {
    share_rows(team, x, bands.band(owner), owner);
  }
}

}  // namespace spsolve
