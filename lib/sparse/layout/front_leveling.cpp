#include "sparse/layout/front_leveling.hpp"

#include <algorithm>

namespace spsolve::inline sparse {

FrontLeveling::FrontLeveling(const std::vector<FrontLayout>& layouts)
    : layouts_(layouts),
      low_(layouts.size(), true),
      height_(layouts.size(), 0),
      depth_(layouts.size(), 0) {
  for (std::size_t s = 0; s < layouts.size(); ++s) {
    if (!layouts[s].is_small()) low_[s] = false;
    if (low_[s]) low_levels_ = std::max(low_levels_, height_[s] + 1);
    const int parent = layouts[s].parent;
    if (parent < 0) continue;
    if (!low_[s]) low_[parent] = false;
    height_[parent] = std::max(height_[parent], height_[s] + 1);
  }
  for (std::size_t s = layouts.size(); s-- > 0;) {
    if (!low_[s] && layouts[s].parent >= 0) depth_[s] = depth_[layouts[s].parent] + 1;
  }
}

Index FrontLeveling::subtrees(int cut) const {
  Index found = 0;
  for (std::size_t s = 0; s < layouts_.size(); ++s) {
    if (!low_[s] && depth_[s] == cut) ++found;
  }
  return found;
}

std::vector<int> FrontLeveling::levels(int cut) const {
  const std::size_t count = layouts_.size();
  std::vector<int> subtree(count, -1);
  std::vector<int> deepest;  // front of each subtree
  if (cut == 0) deepest.push_back(0);
  for (std::size_t s = count; s-- > 0;) {
    if (low_[s] || depth_[s] < cut) continue;
    if (cut == 0) {
      subtree[s] = 0;
    } else if (depth_[s] == cut) {
      subtree[s] = static_cast<int>(deepest.size());
      deepest.push_back(cut);
    } else {
      subtree[s] = subtree[layouts_[s].parent];
    }
    deepest[subtree[s]] = std::max(deepest[subtree[s]], depth_[s]);
  }
  std::vector<int> begin{low_levels_};  // of the levels of each subtree, and of those above
  for (const int depth : deepest) begin.push_back(begin.back() + depth - cut + 1);
  std::vector<int> level = height_;
  for (std::size_t s = 0; s < count; ++s) {
    if (low_[s]) continue;
    const int t = subtree[s];
    level[s] = t < 0 ? begin.back() + cut - 1 - depth_[s] : begin[t] + deepest[t] - depth_[s];
  }
  return level;
}

}  // namespace spsolve::sparse
