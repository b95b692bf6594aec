#pragma once

#include "choice/solver_table.hpp"

namespace spsolve::inline choice {

/// The Krylov methods' rows of the solver table.
std::span<const SolverRow> krylov_rows();

}  // namespace spsolve::choice
