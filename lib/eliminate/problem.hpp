#pragma once

#include "checkpoint/state.hpp"
#include "core/team.hpp"
#include "distribute/row_bands.hpp"
#include "eliminate/eliminate.hpp"
#include "eliminate/equilibrate.hpp"
#include "matrix/csr.hpp"

namespace spsolve {

/// What checkpoints of this elimination belong to, the same on any number of ranks. Each rank
/// brings its rows `band` of the matrix, not yet scaled by `scaling`. Partial and tournament
/// pivoting may take over from each other, and count as one. One pass over the non-zeros.
/// Collective.
EliminatedProblem problem_of(Team& team, const RowBands& bands, const Csr<double>& band,
                             const Equilibration& scaling, const EliminationChoice& choice);

}  // namespace spsolve
