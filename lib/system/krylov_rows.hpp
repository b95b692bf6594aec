#pragma once

#include "system/solver_table.hpp"

namespace spsolve::inline system {

/// The Krylov methods' rows of the solver table.
std::span<const SolverRow> krylov_rows();

}  // namespace spsolve::system
