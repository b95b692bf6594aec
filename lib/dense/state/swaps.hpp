#pragma once

#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/types.hpp"

namespace spsolve::inline dense {

/// Two rows that change places.
struct RowSwap {
  Index one = 0, other = 0;
};

/// The rows that stand at `first`, first + 1, ... where step i swapped the rows first + i and
/// swaps[i] of `rows` rows that begin at `first`; swaps[i] counts from `first`.
template <typename Swap>
std::vector<Index> rows_in_front(Index first, Index rows, std::span<const Swap> swaps) {
  std::vector<Index> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), first);
  for (std::size_t i = 0; i < swaps.size(); ++i) {
    std::swap(order[i], order[static_cast<std::size_t>(swaps[i])]);
  }
  order.resize(swaps.size());
  return order;
}

/// The swaps that bring the rows `chosen`, in this order, to the places from first_active on, one
/// after another: of row first_active + i and row i of the result.
inline std::vector<Index> swaps_to_front(Index first_active, std::span<const Index> chosen) {
  std::vector<Index> swaps(chosen.begin(), chosen.end());
  const auto count = static_cast<Index>(swaps.size());
  // Which of the chosen stands at each place in front; -1: none.
  std::vector<Index> at_place(swaps.size(), -1);
  for (Index i = 0; i < count; ++i) {
    if (const Index place = swaps[i] - first_active; place < count) at_place[place] = i;
  }
  for (Index i = 0; i < count; ++i) {
    const Index from = swaps[i] - first_active;
    const Index displaced = at_place[i];
    if (from < count) at_place[from] = displaced;
    // A later row that stood at this place stands where this one came from now.
    if (displaced > i) swaps[displaced] = swaps[i];
  }
  return swaps;
}

/// Row first + i and row swaps[i], one pair after another, after the pairs that `pairs` has.
inline void append_swaps(Index first, std::span<const Index> swaps, std::vector<RowSwap>& pairs) {
  for (const Index other : swaps) pairs.push_back({first++, other});
}

}  // namespace spsolve::dense
