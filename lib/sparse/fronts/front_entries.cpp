#include "sparse/fronts/front_entries.hpp"

#include <algorithm>
#include <numeric>

#include "core/count_up.hpp"
#include "core/over_blocks.hpp"

namespace spsolve {

FrontEntries front_entries(const Fronts& fronts, const std::vector<Index>& row_offsets,
                           const std::vector<LocalIndex>& columns,
                           const std::vector<LocalIndex>& row_place,
                           const std::vector<LocalIndex>& column_place,
                           const std::vector<LocalIndex>& block, Factorization kind) {
  const LocalIndex n = fronts.order();
  std::vector<LocalIndex> front_of(n);
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    std::fill(front_of.begin() + fronts.first[s], front_of.begin() + fronts.first[s + 1], s);
  }
  const bool symmetric = kind != Factorization::lu;
  const bool many = std::ssize(columns) > worthwhile_elements;
  /// Calls visit(front, source, row, column) for every entry that is taken in, in places; by all
  /// threads.
  const auto walk = [&](const auto& visit) {
#pragma omp parallel for schedule(static) if (many)
    for (LocalIndex i = 0; i < n; ++i) {
      const LocalIndex row = row_place[i];
      for (Index k = row_offsets[i]; k < row_offsets[i + 1]; ++k) {
        const LocalIndex column = column_place[columns[k]];
        if (symmetric && column > row) continue;
        if (!block.empty() && block[row] != block[column]) continue;
        visit(front_of[std::min(row, column)], k, row, column);
      }
    }
  };
  FrontEntries result;
  result.starts.assign(fronts.size() + 1, 0);
  walk([&](LocalIndex s, Index, LocalIndex, LocalIndex) { count_up(result.starts[s + 1]); });
  std::partial_sum(result.starts.begin(), result.starts.end(), result.starts.begin());
  result.entries.resize(result.starts.back());
  {
    std::vector<Index> next(result.starts.begin(), result.starts.end() - 1);
    walk([&](LocalIndex s, Index source, LocalIndex row, LocalIndex column) {
      result.entries[count_up(next[s])] = {source, row, column};
    });
  }
#pragma omp parallel for schedule(dynamic, 256) if (many)
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    const LocalIndex first = fronts.first[s], end = fronts.first[s + 1];
    const auto border = fronts.border_of(s);
    const auto place_of = [&](LocalIndex row) {
      return static_cast<LocalIndex>(std::ranges::lower_bound(border, row) - border.begin());
    };
    const std::span<FrontEntry> own(result.entries.data() + result.starts[s],
                                    result.entries.data() + result.starts[s + 1]);
    std::ranges::sort(own, {}, &FrontEntry::source);  // whichever thread was first
    for (FrontEntry& entry : own) {
      if (entry.column < end) {
        entry.row = entry.row < end ? entry.row - first : end - first + place_of(entry.row);
        entry.column -= first;
      } else {
        const LocalIndex pivot = entry.row - first;
        entry.row = place_of(entry.column);
        entry.column = ~pivot;
      }
    }
  }
  return result;
}

}  // namespace spsolve
