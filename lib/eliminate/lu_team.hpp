#pragma once

#include "eliminate/lu.hpp"

namespace spsolve {

/// factor_lu() of several ranks.
template <typename T>
LuFactors<T> factor_in_team(Team& team, Team& rows, Team& candidates, const CyclicRows& layout,
                            BlockedBand<T>& band, Pivoting pivoting, Progress& progress,
                            Checkpoints* checkpoints);

}  // namespace spsolve
