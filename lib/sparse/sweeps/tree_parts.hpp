#pragma once

#include <vector>

#include "sparse/fronts/schedule.hpp"

namespace spsolve::inline sparse {

/// Whole subtrees next to each other in the order of fronts, first ... last, which one thread
/// takes.
struct TreePart {
  LocalIndex first = 0, last = 0;
  std::vector<LocalIndex> border;  ///< rows above that its fronts' borders have, ascending
};

/// The subtrees of a schedule, neighbours taken together as long as they have at most `share` of
/// all work; the most work first. Matrices of circuits have thousands of subtrees of one small
/// front below a large one: what a thread does for each of them would cost more than the fronts
/// themselves, and threads would write into the same cache lines. `work`: of each front. Cost:
/// linear in the fronts and in the subtrees' borders, which are sorted.
std::vector<TreePart> tree_parts(const Fronts& fronts, const Schedule& schedule,
                                 const std::vector<double>& work, double share);

}  // namespace spsolve::sparse
