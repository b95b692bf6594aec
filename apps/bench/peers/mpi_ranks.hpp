#pragma once

#include <mpi.h>

#include "mpi/mpi_team.hpp"

namespace spsolve::bench {

/// The communicator of all ranks, or of this one alone; with MPI until the process ends, where it
/// was started without.
inline MPI_Comm ranks_for_peer(bool all) {
  int running = 0;
  MPI_Initialized(&running);
  if (running == 0) {
    static int argc = 0;
    static char** argv = nullptr;
    static const MpiSession session(argc, argv);
  }
  return all ? MPI_COMM_WORLD : MPI_COMM_SELF;
}

}  // namespace spsolve::bench
