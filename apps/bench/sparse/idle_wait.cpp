#include "apps/bench/sparse/idle_wait.hpp"

#include <chrono>
#include <thread>

#include <mpi.h>

namespace spsolve::bench {

void wait_idly(Team& team) {
  if (team.size() == 1) return;
  MPI_Request all_here = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &all_here);
  int done = 0;
  for (;;) {
    MPI_Test(&all_here, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace spsolve::bench
