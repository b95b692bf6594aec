#pragma once

#include "team/team.hpp"

namespace spsolve::cuda::inline team {

/// Whether two ranks have the same current GPU. Collective; the same on every rank.
bool some_share_a_gpu(Team& team);

}  // namespace spsolve::cuda::team
