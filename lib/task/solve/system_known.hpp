#pragma once

#include "choice/gpus.hpp"
#include "choice/system_choice.hpp"
#include "config/config.hpp"
#include "plan/memory_plan.hpp"
#include "task/input/right_hand_side.hpp"
#include "team/team.hpp"

namespace spsolve::inline task {

// The facts that all ranks know of a system before its rows are dealt out.

/// The shape of the matrix that `config` names, from its header. Throws the errors of that,
/// Error(input) where it is not square, Error(resources) where it has too many rows to be solved
/// with.
MatrixShape square_shape(const Config& config);

/// Throws the Error(input) of what is asked for a complex system and there is for real ones only.
void refuse_for_complex(const Config& config, bool complex_a, bool complex_b);

/// The shape of the system that `config` names, from the headers of its files, on every rank.
/// Throws their errors on every rank. Collective.
SystemShape shape_for_all(const Config& config, Team& team);

/// take_threads(), of which no more than the system is worth if nobody says how many, noted in
/// `shape`. Collective.
int take_threads(const Config& config, Team& team, SystemShape& shape);

/// The right-hand side that rank 0 finds, on every rank. Collective.
FoundRightHandSide right_hand_side_for_all(const Config& config, Index rows, Team& team);

/// Whether rank 0 can read the matrix and analyse its pattern; `mine`: this rank's plan of that.
/// Collective.
MemoryCheck check_reading(const Config& config, const SystemShape& shape, Team& team,
                          MemoryPlan& mine);

/// The analysis of a matrix that is to be made dense, for methods that might do in its place; empty
/// where rank 0 cannot read it. Collective.
PatternAnalysis analyse_pattern_instead(const Config& config, const SystemShape& shape, Team& team);

}  // namespace spsolve::task
