#pragma once

#include <petscmat.h>

#include "spsolve/options.hpp"

namespace spsolve::sockets {

/// How a factor is to be made: -mat_spsolve_... of the factor's prefix. `options` are the defaults
/// at first. With -help what there is, is printed.
PetscErrorCode read_options(Mat factor, Options& options);

/// PETSc's pointer to the options of an object, which has had two names.
template <typename Items>
Items items_of(PetscErrorCode (*)(Items));
using OptionItems = decltype(items_of(PetscOptionsEnd_Private));

/// Where a preconditioner is computed: its -pc_spsolve_...
PetscErrorCode read_place(OptionItems items, Options& options);

}  // namespace spsolve::sockets
