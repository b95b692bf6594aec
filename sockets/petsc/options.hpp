#pragma once

#include <petscmat.h>

#include "spsolve/options.hpp"

namespace spsolve::sockets {

/// How a factor is to be made: -mat_spsolve_... of the factor's prefix. `options` are the defaults
/// at first. With -help what there is, is printed.
PetscErrorCode read_options(Mat factor, Options& options);

}  // namespace spsolve::sockets
