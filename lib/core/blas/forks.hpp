#pragma once

namespace spsolve::inline core {

/// From now on a process that fork() makes of this one can compute by this library, by as many
/// threads as before. The threads of OpenMP's parallel regions are not in it, and its runtime waits
/// for them for ever: so they end before every fork(), and begin again, in either process, with the
/// next region. A child of a fork() inside of a parallel region computes by one thread. Hands back
/// whether that could be arranged.
bool prepare_for_forks();

}  // namespace spsolve::core
