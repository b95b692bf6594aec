#pragma once

#include <span>
#include <string>

#include "team/team.hpp"

namespace spsolve::inline team {

/// A GPU as reports name it.
struct GpuName {
  std::string name;  ///< model
  std::string uuid;  ///< unique in the world
};

/// The number of this rank's GPU among those that it sees: its number on its host, modulo how many
/// it sees. So each rank gets its own where all see all of the host's GPUs, and where a batch
/// system shows each rank just one.
/// Throws Error(resources) on every rank where some rank sees none, `why_none` being that rank's
/// reason, and, unless `share` is set, where two ranks would get the same GPU. Collective.
int bind_gpu(Team& team, std::span<const GpuName> visible, const std::string& why_none, bool share);

/// Whether bind_gpu() would give every rank a GPU of its own; every rank sees some. Collective.
bool each_has_a_gpu(Team& team, std::span<const GpuName> visible);

}  // namespace spsolve::team
