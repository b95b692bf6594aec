#include "sparse/fronts/contribution_stacks.hpp"

#include <algorithm>
#include <utility>

namespace spsolve::inline sparse {

template <typename T>
void ContributionStacks<T>::begin() {
  layout_ = stack_layout(fronts_, kind_, schedule_);
  odd_.assign(fronts_.size(), false);
  for (LocalIndex s = fronts_.size() - 1; s >= 0; --s) {
    if (fronts_.parent[s] != -1) odd_[s] = !odd_[fronts_.parent[s]];
  }
  restored_.clear();
  for_others_.clear();
  if (layout_.root_contributions > 0) for_others_.resize(fronts_.size());
  if (lanes_.empty()) {
    for (int thread = 0; thread < schedule_.threads; ++thread) {
      lanes_.emplace_back(layout_.lane_scratch);
    }
    lanes_.emplace_back(layout_.upper_scratch);
    memory_ = UntouchedArray<T>(layout_.size);
  }
  for (Lane& lane : lanes_) lane.area = nullptr;
  round_ = -1;
  free_areas_.clear();
  more_areas_.clear();
  off_stack_.assign(fronts_.size(), false);
  for (LocalIndex s = 0; s < fronts_.size(); ++s) {
    blocks_[s] = nullptr;
    if (contributes_outside(fronts_, s)) {
      for_others_[s] = UntouchedArray<T>(size(s));
      blocks_[s] = for_others_[s].data();
    } else if (layout_.place[s] >= 0) {
      blocks_[s] = memory_.data() + layout_.place[s];
    }
    off_stack_[s] = blocks_[s] != nullptr || schedule_.is_direct(s);
  }
}

/// An area for the i-th subtree; see StackLayout: there is one, unless some of a round never had
/// theirs, as a checkpoint had them.
template <typename T>
void ContributionStacks<T>::book(Lane& lane, std::size_t i) {
  const std::lock_guard lock(mutex_);
  if (round_ != layout_.round[i]) free_areas_.clear();
  round_ = layout_.round[i];
  lane.begin = 0;
  lane.end = layout_.stack_size[i];
  if (layout_.area[i] >= 0) {
    lane.area = memory_.data() + layout_.area[i];
  } else if (!free_areas_.empty()) {
    lane.area = free_areas_.back();
    free_areas_.pop_back();
  } else {
    more_areas_.emplace_back(*std::ranges::max_element(layout_.stack_size));
    lane.area = more_areas_.back().data();
  }
}

template <typename T>
void ContributionStacks<T>::leave(std::size_t i, int lane) {
  const std::lock_guard lock(mutex_);
  if (round_ != layout_.round[i]) free_areas_.clear();
  round_ = layout_.round[i];
  T* area = std::exchange(lanes_[lane].area, nullptr);
  if (area == nullptr && layout_.area[i] >= 0) area = memory_.data() + layout_.area[i];
  if (area != nullptr) free_areas_.push_back(area);
}

template <typename T>
T* ContributionStacks<T>::push(LocalIndex s, int lane, std::size_t i) {
  if (off_stack_[s]) return blocks_[s];
  Lane& to = lanes_[lane];
  if (to.area == nullptr) book(to, i);
  if (odd_[s]) return blocks_[s] = to.area + (to.end -= size(s));
  blocks_[s] = to.area + to.begin;
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
  memory_ = {};
}

SPSOLVE_INSTANTIATE_FOR_FACTORS(class ContributionStacks)

}  // namespace spsolve::sparse
