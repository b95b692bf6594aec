#pragma once

#include <algorithm>

#include "core/types.hpp"

namespace spsolve {

/// Half-open range of rows or columns [first, last).
struct Range {
  Index first = 0;
  Index last = 0;

  Index size() const { return last - first; }
  bool contains(Index i) const { return first <= i && i < last; }
};

/// Rows dealt out to ranks in contiguous bands of nearly equal height:
/// rank r holds rows [r rows / ranks, (r + 1) rows / ranks). With fewer rows than ranks some bands
/// are empty.
struct RowBands {
  Index rows = 0;
  int ranks = 1;

  Range band(int rank) const { return {border(rank), border(rank + 1)}; }

  /// The rank that holds `row`.
  int owner(Index row) const {
    int rank = static_cast<int>(static_cast<__int128>(row) * ranks / std::max<Index>(rows, 1));
    while (row >= border(rank + 1)) ++rank;
    while (row < border(rank)) --rank;
    return rank;
  }

 private:
  Index border(int rank) const {
    return static_cast<Index>(static_cast<__int128>(rows) * rank / ranks);
  }
};

}  // namespace spsolve
