#pragma once

#include <vector>

#include "sparse/layout/device_layout.hpp"

namespace spsolve::inline sparse {

/// The level of each front: subtrees of small fronts alone by their height, above them all the
/// others by their depth, which puts siblings, alike as they mostly are, side by side. Subtrees
/// whose roots are `cut` deep come one after another, all levels of one before those of the next,
/// so that fewer contribution blocks lie there at a time; with a cut of 0 all are side by side.
class FrontLeveling {
 public:
  /// Takes the shapes of fronts.
  explicit FrontLeveling(const std::vector<FrontLayout>& layouts);

  /// Levels that are of subtrees of small fronts alone, the first ones.
  int low_levels() const { return low_levels_; }

  /// Large subtrees whose roots are `cut` deep.
  Index subtrees(int cut) const;

  std::vector<int> levels(int cut) const;

 private:
  const std::vector<FrontLayout>& layouts_;
  std::vector<bool> low_;  // in a subtree of small fronts
  std::vector<int> height_, depth_;
  int low_levels_ = 0;
};

}  // namespace spsolve::sparse
