#pragma once

#include <limits>
#include <vector>

#include "sparse/layout/device_layout.hpp"

namespace spsolve::inline sparse {

/// The level of each front: subtrees of small fronts alone by their height, above them all the
/// others by their depth, which puts siblings, alike as they mostly are, side by side. Where memory
/// is short, large fronts come one after another, each with a level of its own, in the postorder in
/// which fewest contribution blocks lie there at a time (Liu 1986); all other subtrees that hang on
/// one of them are side by side before it. Early children have levels of their own then.
class FrontLeveling {
 public:
  static constexpr int none_is_large = std::numeric_limits<int>::max();

  /// Takes the shapes of fronts.
  explicit FrontLeveling(const std::vector<FrontLayout>& layouts);

  /// Levels that are of subtrees of small fronts alone, the first ones.
  int low_levels() const { return low_levels_; }

  /// Rows of the largest front.
  int most_rows() const;

  /// Fronts of so many rows, and those above them: the large ones.
  Index large_fronts(int rows) const;

  std::vector<int> levels(int rows = none_is_large) const;

 private:
  std::vector<bool> large(int rows) const;

  const std::vector<FrontLayout>& layouts_;
  std::vector<bool> low_;  // in a subtree of small fronts
  std::vector<int> height_, depth_;
  int low_levels_ = 0;
};

}  // namespace spsolve::sparse
