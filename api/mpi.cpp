#include "spsolve/mpi.hpp"

#include "mpi/mpi_team.hpp"

namespace spsolve {

Ranks ranks_of(MPI_Comm communicator) {
  return Ranks(std::make_shared<MpiTeam>(communicator));
}

}  // namespace spsolve
