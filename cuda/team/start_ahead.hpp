#pragma once

#include <functional>
#include <memory>

#include "distribute/layout/options.hpp"
#include "team/team.hpp"

namespace spsolve::cuda::inline team {

/// Starts all that an elimination on this rank's GPU, number `device`, begins with, concurrently
/// with the rank's other work: the GPU's context, the team's NCCL, which Transports takes, cuBLAS,
/// and `more`, whose Errors are kept from everybody. Whoever is sooner waits. The object that it
/// hands back ends all of that which nobody took. No two ranks may share a GPU. Collective.
std::shared_ptr<void> start_ahead(Team& team, int device, Transport transport,
                                  std::function<void()> more);

}  // namespace spsolve::cuda::team
