#pragma once

#include <iterator>
#include <map>

#include "core/types.hpp"

namespace spsolve::inline sparse {

/// Room that blocks of the stack take one after another and give back: the first gap that is large
/// enough.
class FirstFitAllocator {
 public:
  explicit FirstFitAllocator(Index begin) : end_(begin) {}

  Index allocate(Index size) {
    for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
      if (gap->second < size) continue;
      const Index place = gap->first;
      const Index left = gap->second - size;
      gaps_.erase(gap);
      if (left > 0) gaps_.emplace(place + size, left);
      return place;
    }
    const Index place = end_;
    end_ += size;
    return place;
  }

  void release(Index place, Index size) {
    if (size == 0) return;  // a gap of nothing would stand where the next block begins
    auto gap = gaps_.emplace(place, size).first;
    if (const auto next = std::next(gap); next != gaps_.end() && place + size == next->first) {
      gap->second += next->second;
      gaps_.erase(next);
    }
    if (gap == gaps_.begin()) return;
    const auto before = std::prev(gap);
    if (before->first + before->second == place) {
      before->second += gap->second;
      gaps_.erase(gap);
    }
  }

  Index end() const { return end_; }  ///< nothing was ever beyond

 private:
  std::map<Index, Index> gaps_;  // size by place
  Index end_;
};

}  // namespace spsolve::sparse
