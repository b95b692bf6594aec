#pragma once

#include <vector>

#include "sparse/fronts/fronts.hpp"

namespace spsolve {

/// Which fronts are eliminated one after another by one thread, and which by all threads together:
/// the tree below its switch point is cut into subtrees, which threads take in descending order of
/// their work; the fronts above are taken in their order.
struct Schedule {
  int threads = 1;
  std::vector<LocalIndex> subtrees;  ///< their topmost fronts, the most work first
  std::vector<LocalIndex> upper;     ///< fronts above all subtrees, ascending
};

/// Cuts subtrees until the largest has at most `share` of all work, or is a single front. `work`:
/// of each front.
Schedule cut_subtrees(const Fronts& fronts, const std::vector<double>& work, double share);

/// Flops and memory traffic of each front as a rough figure of nanoseconds on one core.
std::vector<double> front_work(const Fronts& fronts, bool symmetric);

/// Entries of what fronts first ... last pass up that are there at a time, at most, while these are
/// eliminated in order, without those of `elsewhere`, which are kept in another place.
Index stack_peak(const Fronts& fronts, std::span<const LocalIndex> in_order,
                 const std::vector<bool>& elsewhere);

}  // namespace spsolve
