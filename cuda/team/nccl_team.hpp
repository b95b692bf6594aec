#pragma once

#include <memory>
#include <string>

#include "cuda/team/gpu_team.hpp"

namespace spsolve::cuda {

/// A team of GPUs over NCCL, or null and why not: it was not built in, or does not start on every
/// rank (ranks that share a GPU, for one). Collective; the same on every rank.
std::unique_ptr<GpuTeam> make_nccl_team(Team& team, const Stream& stream, std::string& reason);

}  // namespace spsolve::cuda
