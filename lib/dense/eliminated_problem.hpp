#pragma once

#include "checkpoint/checkpoint_file.hpp"
#include "dense/choice.hpp"
#include "solve/operators/equilibrate.hpp"

namespace spsolve::inline dense {

/// The problem that checkpoints of this elimination belong to, the same on any number of ranks.
/// Partial and tournament pivoting may take over from each other, and count as one. `b`: the
/// right-hand sides where they count, as for Krylov methods. One pass over the non-zeros.
/// Collective.
EliminatedProblem problem_of(SystemMatrix& matrix, const Equilibration& scaling,
                             const EliminationChoice& choice, const Vectors* b = nullptr);

}  // namespace spsolve::dense
