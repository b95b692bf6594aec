#pragma once

#include <mpi.h>

#include "spsolve/ranks.hpp"

namespace spsolve {

/// The processes of a communicator, which is duplicated. MPI has been started, with at least
/// MPI_THREAD_FUNNELED, and is not ended before the last copy is gone. Collective.
Ranks ranks_of(MPI_Comm communicator);

}  // namespace spsolve
