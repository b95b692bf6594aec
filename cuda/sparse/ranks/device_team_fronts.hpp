#pragma once

#include <functional>
#include <memory>

#include "cuda/team/gpu_team.hpp"
#include "sparse/ranks/team_fronts.hpp"

namespace spsolve::cuda::inline sparse {

/// Makes the team of all ranks' GPUs in order with a stream. Collective.
using MakeGpuTeam = std::function<std::unique_ptr<GpuTeam>(const Stream&)>;

/// A rank's part of an elimination that the GPUs of a team share, by a TeamProgram, on the current
/// one. Always the same bits for the same ranks.
template <typename T>
std::unique_ptr<TeamFronts<T>> device_team_fronts(Team& team, const TreePartition& tree,
                                                  const MakeGpuTeam& make);

}  // namespace spsolve::cuda::sparse
