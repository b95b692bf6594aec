#pragma once

#include <string>

namespace spsolve::inline process {

/// The facts that the program that started this process tells of it in the environment: mpirun of
/// Open MPI, a launcher with a process-management interface (MPICH's and others), or srun,
/// whichever is nearest.
struct Launch {
  std::string variable;  ///< the environment variable that names the number of processes, or ""
  int ranks = 1;         ///< that were started together
  int rank = 0;          ///< this one's number
};

Launch launch();

/// Whether MPI must be started to know who else is there: a launcher started several processes, or
/// left its mark without a number. A process that nobody launched, or that was launched alone,
/// works alone.
bool may_have_others(const Launch& launch);

/// Where a launcher started several processes, but each of them is a team of one by itself, as
/// happens when the launcher belongs to another MPI than the program: one sentence of what to do,
/// which names `mpi`, the library's own version. "" where all is well. `ranks` is the team's size.
std::string launch_problem(const Launch& launch, int ranks, const std::string& mpi);

}  // namespace spsolve::process
