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

int FrontLeveling::most_rows() const {
  int most = 0;
  for (const FrontLayout& layout : layouts_) most = std::max(most, layout.rows());
  return most;
}

std::vector<bool> FrontLeveling::large(int rows) const {
  std::vector<bool> is_large(layouts_.size(), false);
  for (std::size_t s = 0; s < layouts_.size(); ++s) {
    const bool alone = layouts_[s].rows() >= rows || (layouts_[s].early && rows != none_is_large);
    if (!low_[s] && alone) is_large[s] = true;
    if (is_large[s] && layouts_[s].parent >= 0) is_large[layouts_[s].parent] = true;
  }
  return is_large;
}

Index FrontLeveling::large_fronts(int rows) const {
  const std::vector<bool> is_large = large(rows);
  return std::count(is_large.begin(), is_large.end(), true);
}

namespace {

/// What a large front waits for: a large child with all below it, or its other children's subtrees
/// side by side.
struct Before {
  int child = -1;  ///< -1 for the others
  int levels = 0;
  Index peak = 0;       ///< elements of contribution blocks at a time
  Index passed_up = 0;  ///< and of those that stay until the front is done
};

/// Subtrees side by side before a large front, or those of no large front.
struct SideBySide {
  int top = 0, levels = 0;                 ///< depth of their roots
  std::vector<Index> allocated, released;  ///< elements of contribution blocks by level

  int level_of(int depth) const { return levels - 1 - (depth - top); }
  void add(int depth, Index block) {
    allocated.resize(levels);
    released.resize(levels + 1);
    allocated[level_of(depth)] += block;
    released[level_of(depth) + 1] += block;
  }
  Before whole() const {
    Before all;
    all.levels = levels;
    for (int l = 0; l < levels; ++l) {
      all.passed_up += allocated[l];
      all.peak = std::max(all.peak, all.passed_up);
      all.passed_up -= released[l];
    }
    return all;
  }
};

}  // namespace

std::vector<int> FrontLeveling::levels(int rows) const {
  const std::size_t count = layouts_.size();  // and the number of what all roots hang on
  const std::vector<bool> is_large = large(rows);
  const auto parent_of = [&](std::size_t s) {
    return layouts_[s].parent < 0 ? count : static_cast<std::size_t>(layouts_[s].parent);
  };
  const auto block_of = [&](std::size_t s) {
    return s == count || layouts_[s].parent < 0 ? 0 : layouts_[s].contribution_elements();
  };
  std::vector<std::size_t> hangs_on(count, count);  // of those that are not large
  std::vector<SideBySide> others(count + 1);
  for (std::size_t s = count; s-- > 0;) {
    if (low_[s] || is_large[s]) continue;
    const std::size_t parent = parent_of(s);
    hangs_on[s] = parent == count || is_large[parent] ? parent : hangs_on[parent];
    SideBySide& with = others[hangs_on[s]];
    with.top = hangs_on[s] == count ? 0 : depth_[hangs_on[s]] + 1;
    with.levels = std::max(with.levels, depth_[s] - with.top + 1);
  }
  for (std::size_t s = 0; s < count; ++s) {
    if (!low_[s] && !is_large[s]) others[hangs_on[s]].add(depth_[s], block_of(s));
  }
  // Children before their parents: what each large front waits for, that first of which most goes
  // again.
  std::vector<std::vector<Before>> waits(count + 1);
  for (std::size_t s = 0; s <= count; ++s) {
    if (s < count && !is_large[s]) continue;
    std::vector<Before>& all = waits[s];
    if (others[s].levels > 0) all.insert(all.begin(), others[s].whole());
    // What is assembled early leaves nothing, and is in the order in which it would be assembled.
    const auto rest = std::stable_partition(all.begin(), all.end(), [&](const Before& before) {
      return before.child >= 0 && layouts_[before.child].early;
    });
    std::stable_sort(rest, all.end(), [](const Before& a, const Before& b) {
      return a.peak - a.passed_up > b.peak - b.passed_up;
    });
    Before whole{static_cast<int>(s), 1, 0, 0};
    for (const Before& before : all) {
      whole.levels += before.levels;
      whole.peak = std::max(whole.peak, whole.passed_up + before.peak);
      whole.passed_up += before.passed_up;
    }
    whole.peak = std::max(whole.peak, whole.passed_up + block_of(s));
    whole.passed_up = s < count && layouts_[s].early ? 0 : block_of(s);
    if (s < count) waits[parent_of(s)].push_back(whole);
  }
  std::vector<int> level = height_;
  std::vector<int> begin(count + 1, low_levels_), first_of_others(count + 1);
  for (std::size_t s = count + 1; s-- > 0;) {
    if (s < count && !is_large[s]) continue;
    int next = begin[s];
    for (const Before& before : waits[s]) {
      (before.child < 0 ? first_of_others[s] : begin[before.child]) = next;
      next += before.levels;
    }
    if (s < count) level[s] = next;
  }
  for (std::size_t s = 0; s < count; ++s) {
    if (low_[s] || is_large[s]) continue;
    level[s] = first_of_others[hangs_on[s]] + others[hangs_on[s]].level_of(depth_[s]);
  }
  return level;
}

}  // namespace spsolve::sparse
