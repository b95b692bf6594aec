#include "spsolve/mpi.hpp"

#include "api/c_objects.hpp"
#include "mpi/mpi_team.hpp"
#include "spsolve/spsolve_mpi.h"

namespace spsolve {

Ranks ranks_of(MPI_Comm communicator) {
  return Ranks(std::make_shared<MpiTeam>(communicator));
}

}  // namespace spsolve

spsolve_status spsolve_ranks_of(MPI_Comm communicator, spsolve_ranks** ranks) {
  return spsolve::hand_out(ranks, [&] { return spsolve::ranks_of(communicator); });
}
