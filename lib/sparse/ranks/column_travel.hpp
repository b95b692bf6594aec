#pragma once

#include <span>
#include <vector>

#include "core/types.hpp"
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

/// Columns in the order of their children, and their values, rank after rank; in memory as the
/// C library gives it, as whole pages for each front would leave holes that nobody takes.
template <typename T>
class ColumnsByRank {
 public:
  explicit ColumnsByRank(int ranks) : sizes_(static_cast<std::size_t>(ranks), 0) {}

  void add(std::size_t child, Index column, int rank, Index size) {
    columns_.push_back({child, column, rank, sizes_[rank]});
    sizes_[rank] += size;
  }

  /// For all values, which at() names from now on. Throws std::bad_alloc.
  void make_room() {
    starts_.assign(1, 0);
    for (const Index size : sizes_) starts_.push_back(starts_.back() + size);
    values_.resize(static_cast<std::size_t>(starts_.back()));
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
  std::vector<T> values_;
};

/// What a rank does with columns that children pass up to a front of several ranks.
template <typename T>
struct ColumnTravel {
  explicit ColumnTravel(int ranks) : leaving(ranks), coming(ranks) {}

  ColumnsByRank<T> leaving, coming;
  std::vector<ColumnOfChild> staying;
};

}  // namespace spsolve
