#pragma once

#include <vector>

#include "sparse/fronts/factors.hpp"
#include "sparse/store/factor_store.hpp"

namespace spsolve::inline sparse {

/// The fronts first ... last of factors that are on disk, a window of them in memory at a time, as
/// a sweep goes up or down over them. Nothing happens where factors are in memory (a null store).
template <typename T>
class FrontWindows {
 public:
  FrontWindows(const FactorStore* store, const std::vector<FactoredFront<T>>& fronts,
               LocalIndex first, LocalIndex last, bool up)
      : store_(store), fronts_(fronts), first_(first), last_(last), up_(up) {}
  ~FrontWindows() { leave(); }
  FrontWindows(const FrontWindows&) = delete;
  FrontWindows& operator=(const FrontWindows&) = delete;

  /// Front s is next.
  void enter(LocalIndex s) {
    if (store_ == nullptr || (s >= begin_ && s < end_)) return;
    leave();
    const auto [begin, end] = window_at(s);
    store_->bring(start_of(begin), end_of(end - 1));
    begin_ = begin;
    end_ = end;
    const LocalIndex next = up_ ? end_ : begin_ - 1;
    if (next < first_ || next > last_) return;
    const auto [from, to] = window_at(next);
    store_->expect(start_of(from), end_of(to - 1));
  }

 private:
  const T* start_of(LocalIndex s) const { return fronts_[s].lower; }
  const T* end_of(LocalIndex s) const {
    const FactoredFront<T>& front = fronts_[s];
    const Index pivots = front.pivots;
    return front.lower + pivots * (front.ld + (front.upper != nullptr ? front.ldu : 0));
  }

  /// The window that begins at front s, going up, or ends there.
  std::pair<LocalIndex, LocalIndex> window_at(LocalIndex s) const {
    constexpr Index most = FactorStore::window / static_cast<Index>(sizeof(T));
    LocalIndex begin = s, end = s + 1;
    if (up_) {
      while (end <= last_ && end_of(end) - start_of(s) <= most) ++end;
    } else {
      while (begin > first_ && end_of(s) - start_of(begin - 1) <= most) --begin;
    }
    return {begin, end};
  }

  void leave() noexcept {
    if (begin_ < end_) store_->let_go(start_of(begin_), end_of(end_ - 1));
    begin_ = end_ = 0;
  }

  const FactorStore* store_;
  const std::vector<FactoredFront<T>>& fronts_;
  LocalIndex first_, last_;
  bool up_;
  LocalIndex begin_ = 0, end_ = 0;  // what is in memory
};

}  // namespace spsolve::sparse
