#pragma once

#include <functional>

#include "spsolve/ranks.hpp"
#include "spsolve/spsolve.h"

// Declarations that the files of the C interface share.

struct spsolve_ranks {
  spsolve::Ranks ranks;
};

namespace spsolve {

/// Puts the ranks that `make` makes into *ranks for a program in C; an error that it throws becomes
/// a status and the last error, and *ranks NULL.
spsolve_status hand_out(spsolve_ranks** ranks, const std::function<Ranks()>& make);

}  // namespace spsolve
