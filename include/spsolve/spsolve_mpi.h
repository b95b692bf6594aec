/* spsolve from C over the processes of an MPI communicator. */
#ifndef SPSOLVE_SPSOLVE_MPI_H
#define SPSOLVE_SPSOLVE_MPI_H

#include <mpi.h>

#include "spsolve/spsolve.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The processes of a communicator, which is duplicated. MPI has been started, with at least
 * MPI_THREAD_FUNNELED, and is not ended before the ranks and all solvers on them are freed.
 * Collective. */
spsolve_status spsolve_ranks_of(MPI_Comm communicator, spsolve_ranks** ranks);

#ifdef __cplusplus
}
#endif

#endif
