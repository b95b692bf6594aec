#pragma once

#include <algorithm>
#include <vector>

#include "core/types.hpp"

namespace spsolve {

/// Half-open range of rows or columns [first, last).
struct Range {
  Index first = 0;
  Index last = 0;

  Index size() const { return last - first; }
  bool contains(Index i) const { return first <= i && i < last; }
};

/// Rows dealt out to ranks in contiguous bands of nearly equal height: the first rows mod ranks
/// bands hold one row more than the others. With fewer rows than ranks some bands are empty.
struct RowBands {
  Index rows = 0;
  int ranks = 1;

  Range band(int rank) const { return {border(rank), border(rank + 1)}; }

  /// The band as a list of ranges.
  std::vector<Range> segments(int rank) const { return {band(rank)}; }

  /// The rank that holds `row`.
  int owner(Index row) const {
    const Index height = rows / ranks;
    const Index higher = rows % ranks;  // bands of height + 1 rows
    const Index in_higher = higher * (height + 1);
    if (row < in_higher) return static_cast<int>(row / (height + 1));
    return static_cast<int>(higher + (row - in_higher) / height);
  }

 private:
  Index border(int rank) const {
    return rank * (rows / ranks) + std::min<Index>(rank, rows % ranks);
  }
};

}  // namespace spsolve
