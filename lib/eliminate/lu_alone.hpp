#pragma once

#include "eliminate/lu.hpp"

namespace spsolve {

/// factor_lu() of a rank that has all rows.
template <typename T>
LuFactors<T> factor_alone(Team& team, const CyclicRows& layout, BlockedBand<T>& band,
                          Pivoting pivoting, Progress& progress, Checkpoints* checkpoints);

}  // namespace spsolve
