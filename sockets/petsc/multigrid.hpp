#pragma once

#include <petscpc.h>

namespace spsolve::sockets {

/// Makes a PC of the type spsolve_multigrid: one cycle of multigrid in each application.
PetscErrorCode make_multigrid(PC pc);

}  // namespace spsolve::sockets
