#pragma once

#include <memory>

#include "cuda/team/gpu_team.hpp"
#include "cuda/team/nccl_communicator.hpp"

namespace spsolve::cuda::inline team {

/// A team of GPUs over NCCL between the ranks of `team`.
std::unique_ptr<GpuTeam> make_nccl_team(Team& team, const Stream& stream,
                                        std::shared_ptr<NcclCommunicator> nccl);

}  // namespace spsolve::cuda::team
