#pragma once

#include <vector>

#include "core/untouched_array.hpp"
#include "team/team.hpp"

namespace spsolve {

/// A column of what a child passes up, by the child's place among those that pass up together, and
/// where its values begin among those that travel to or from a rank.
struct ColumnOfChild {
  std::size_t child = 0;
  Index column = 0;
  int rank = 0;
  Index place = 0;
};

/// Columns in the order of their children, and their values, rank after rank: of one batch after
/// another in the same memory.
template <typename T>
class ColumnsByRank {
 public:
  void begin(int ranks) {
    columns_.clear();
    sizes_.assign(static_cast<std::size_t>(ranks), 0);
  }

  void add(std::size_t child, Index column, int rank, Index size) {
    columns_.push_back({child, column, rank, sizes_[rank]});
    sizes_[rank] += size;
  }

  /// For all values, which at() names from now on. Throws std::bad_alloc.
  void make_room() {
    starts_.assign(1, 0);
    for (const Index size : sizes_) starts_.push_back(starts_.back() + size);
    if (values_.size() >= starts_.back()) return;
    values_ = {};
    values_ = UntouchedArray<T>(starts_.back());
  }

  const std::vector<ColumnOfChild>& columns() const { return columns_; }
  T* at(const ColumnOfChild& column) {
    return values_.data() + starts_[column.rank] + column.place;
  }

  /// What each rank sends or is sent, of those that are.
  template <typename Part>
  std::vector<Part> parts() {
    std::vector<Part> all;
    for (std::size_t rank = 0; rank < sizes_.size(); ++rank) {
      if (sizes_[rank] == 0) continue;
      const std::span<T> values(values_.data() + starts_[rank],
                                static_cast<std::size_t>(sizes_[rank]));
      all.push_back({static_cast<int>(rank), std::as_writable_bytes(values)});
    }
    return all;
  }

 private:
  std::vector<ColumnOfChild> columns_;
  std::vector<Index> sizes_, starts_;  // by rank
  UntouchedArray<T> values_;
};

/// What a rank does with columns that children pass up to a front of several ranks.
template <typename T>
struct ColumnTravel {
  ColumnsByRank<T> leaving, coming;
  std::vector<ColumnOfChild> staying;

  void begin(int ranks) {
    leaving.begin(ranks);
    coming.begin(ranks);
    staying.clear();
  }
};

}  // namespace spsolve
