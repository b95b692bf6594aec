#pragma once

#include <nanobind/nanobind.h>

#include "spsolve/ranks.hpp"

namespace spsolve::python {

/// The processes of a communicator that mpi4py names by its number.
Ranks ranks_numbered(int communicator);

/// Adds the class Matrix, and what files hold that are arrays.
void add_matrices(nanobind::module_& module);

}  // namespace spsolve::python
