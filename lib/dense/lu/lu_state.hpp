#pragma once

#include <optional>
#include <vector>

#include "dense/lu/lu.hpp"
#include "dense/state/elimination_state.hpp"

namespace spsolve::inline dense {

// How lu is kept and goes on. A row of A holds the same values on any number of ranks: multipliers
// in the columns of earlier panels, L and U in those of its own panel, U or the rest of the matrix
// after those. So a checkpoint is the rows by their numbers in A, and the order of elimination.
// Whoever holds a row that was a pivot has it at the top of its rows, in that order; the factors of
// all panels that every rank has are read from these rows again.

/// The state of the newest good checkpoint, its dense rows in `rows`, their numbers as they lie
/// there; nothing where there is none to go on from, or no `checkpoints` at all. Collective.
template <typename T>
std::optional<EliminationState> resume_lu(Team& team, const RowLayout& layout, BlockedRows<T>& rows,
                                          Checkpoints* checkpoints);

/// The state of an elimination after `step` columns that a checkpoint tells in addition to its
/// rows.
template <typename T>
EliminationState state_behind(Index step, const RowLayout& layout, const LuFactors<T>& result);

/// The panels of an elimination so far, from the ranks' rows. Collective.
template <typename T>
std::vector<typename LuFactors<T>::Panel> panels_of(Team& team, const RowLayout& layout,
                                                    const BlockedRows<T>& rows,
                                                    const EliminationState& state);

/// Does what all ranks wish for, with the rows of the rows. Collective.
template <typename T>
void save_lu(Checkpoints& checkpoints, CheckpointRequest request, const BlockedRows<T>& rows,
             const EliminationState& state);

}  // namespace spsolve::dense
