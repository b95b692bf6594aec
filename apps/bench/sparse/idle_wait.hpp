#pragma once

#include "team/team.hpp"

namespace spsolve::bench {

/// Returns when every rank of the run has come here. The ranks sleep meanwhile, so that whoever
/// still works has the processors to itself; up to a millisecond may be lost. Collective.
void wait_idly(Team& team);

}  // namespace spsolve::bench
