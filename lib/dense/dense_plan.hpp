#pragma once

#include <functional>
#include <span>

#include "dense/choice.hpp"
#include "matrix/shape.hpp"
#include "plan/memory_plan.hpp"

namespace spsolve::inline dense {

/// Bytes of GPU memory that `height` dense rows take, and what is solved for with them at a time,
/// 0 or more columns; empty without GPUs.
using GpuDenseBytes = std::function<std::int64_t(const EliminationChoice& choice, Index height,
                                                 Index order, int ranks, Index right_hand_sides)>;

/// The facts that a dense elimination is planned for, on one of `ranks` ranks.
struct DensePlanning {
  MatrixShape shape;
  EliminationChoice choice;
  int rank = 0;
  int ranks = 1;
  Index columns = 1;                    ///< that are solved for at a time
  bool scales = true;                   ///< rows may be equilibrated
  std::span<const char* const> phases;  ///< from the elimination on
  GpuDenseBytes gpu;                    ///< empty: dense rows lie in host memory
};

/// Adds the memory that the elimination takes in addition to the system's matrix and vectors: in
/// phase "deal" rows on their way to who eliminates them, in "prepare" and planning.phases the
/// dense rows and what goes with them; in float where the precision is mixed, for which
/// plan_in_double() has the rows that take the place of the float rows should float not do.
void plan_dense(MemoryPlan& plan, const DensePlanning& planning);

/// The memory that takes the place of the float rows if the choice is mixed and float does not do:
/// the dense rows in double and what goes with them, in phase "in double".
MemoryPlan plan_in_double(const DensePlanning& planning);

}  // namespace spsolve::dense
