#pragma once

#include "choice/solver_table.hpp"

namespace spsolve::inline choice {

// The sparse methods' rows of the solver table.

SolverRow sparse_cholesky_row();
SolverRow sparse_ldlt_row();
SolverRow sparse_lu_row();

}  // namespace spsolve::choice
