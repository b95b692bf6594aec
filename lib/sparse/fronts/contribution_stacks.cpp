#include "sparse/fronts/contribution_stacks.hpp"

#include <algorithm>

namespace spsolve::inline sparse {

template <typename T>
void ContributionStacks<T>::begin() {
  const StackSizes sizes = stack_sizes(fronts_, kind_, schedule_);
  off_stack_ = off_the_stacks(fronts_, schedule_);
  odd_.assign(fronts_.size(), false);
  for (LocalIndex s = fronts_.size() - 1; s >= 0; --s) {
    if (fronts_.parent[s] != -1) odd_[s] = !odd_[fronts_.parent[s]];
  }
  restored_.clear();
  for_others_.clear();
  if (sizes.root_contributions > 0) for_others_.resize(fronts_.size());
  if (lanes_.empty()) {
    for (int thread = 0; thread < schedule_.threads; ++thread) {
      lanes_.emplace_back(sizes.lane, sizes.lane_scratch);
    }
    lanes_.emplace_back(sizes.upper, sizes.upper_scratch);
    of_subtrees_ = UntouchedArray<T>(sizes.subtrees);
  }
  for (Lane& lane : lanes_) {
    lane.begin = 0;
    lane.end = lane.memory.size();
  }
  T* next = of_subtrees_.data();
  std::vector<LocalIndex> ascending(schedule_.subtrees);
  std::sort(ascending.begin(), ascending.end());
  for (const LocalIndex s : ascending) {
    if (contributes_outside(fronts_, s)) continue;
    blocks_[s] = next;
    next += size(s);
  }
  for (LocalIndex s = 0; s < std::ssize(for_others_); ++s) {
    if (!contributes_outside(fronts_, s)) continue;
    for_others_[s] = UntouchedArray<T>(size(s));
    blocks_[s] = for_others_[s].data();
  }
}

template <typename T>
T* ContributionStacks<T>::push(LocalIndex s, int lane) {
  if (off_stack_[s]) return blocks_[s];
  Lane& to = lanes_[lane];
  if (odd_[s]) return blocks_[s] = to.memory.data() + (to.end -= size(s));
  blocks_[s] = to.memory.data() + to.begin;
  to.begin += size(s);
  return blocks_[s];
}

template <typename T>
void ContributionStacks<T>::pop_children(LocalIndex s, int lane) {
  Lane& from = lanes_[lane];
  for (const LocalIndex child : fronts_.children_of(s)) {
    if (!restored_.empty()) restored_[child] = {};
    if (off_stack_[child]) continue;
    odd_[child] ? from.end += size(child) : from.begin -= size(child);
  }
}

template <typename T>
T* ContributionStacks<T>::restore(LocalIndex s) {
  auto& arrays = contributes_outside(fronts_, s) ? for_others_ : restored_;
  if (arrays.empty()) arrays.resize(fronts_.size());
  if (arrays[s].size() != size(s)) arrays[s] = UntouchedArray<T>(size(s));
  off_stack_[s] = true;
  return blocks_[s] = arrays[s].data();
}

template <typename T>
void ContributionStacks<T>::release(LocalIndex s) {
  if (!restored_.empty()) restored_[s] = {};
  if (contributes_outside(fronts_, s)) for_others_[s] = {};
}

template <typename T>
void ContributionStacks<T>::release_stacks() {
  lanes_.clear();
  of_subtrees_ = {};
}

SPSOLVE_INSTANTIATE_FOR_FACTORS(class ContributionStacks)

}  // namespace spsolve::sparse
