#pragma once

#include <algorithm>
#include <vector>

#include "core/types.hpp"

namespace spsolve {

/// Rows dealt out to ranks in cyclic blocks: block b, the rows [b block, (b + 1) block), belongs to
/// rank b mod ranks. A rank's rows are numbered locally in ascending order.
struct CyclicRows {
  Index rows = 0;
  int ranks = 1;
  Index block = 1;

  /// The blocks of `rank`, ascending.
  std::vector<Range> segments(int rank) const {
    std::vector<Range> ranges;
    for (Index first = rank * block; first < rows; first += ranks * block) {
      ranges.push_back({first, std::min(first + block, rows)});
    }
    return ranges;
  }

  /// Rows of `rank`.
  Index height(int rank) const {
    const Index round = ranks * block;
    const Index rest = rows % round;
    return rows / round * block + std::clamp<Index>(rest - rank * block, 0, block);
  }

  /// The rows of `rank` in local order.
  std::vector<Index> global_rows(int rank) const {
    std::vector<Index> numbers;
    numbers.reserve(static_cast<std::size_t>(height(rank)));
    for (const Range& segment : segments(rank)) {
      for (Index row = segment.first; row < segment.last; ++row) numbers.push_back(row);
    }
    return numbers;
  }
};

}  // namespace spsolve
