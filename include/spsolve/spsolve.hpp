#pragma once

// The parts of spsolve that another program needs: matrices, solvers, products. Over MPI ranks also
// <spsolve/mpi.hpp>; from C <spsolve/spsolve.h>.

#include "spsolve/arrays.hpp"
#include "spsolve/dense.hpp"
#include "spsolve/error.hpp"
#include "spsolve/inertia.hpp"
#include "spsolve/matrix.hpp"
#include "spsolve/options.hpp"
#include "spsolve/product.hpp"
#include "spsolve/ranks.hpp"
#include "spsolve/solver.hpp"
#include "spsolve/types.hpp"
