#include "sparse/dissection/leaf.hpp"

#include <algorithm>
#include <limits>

#include <camd.h>

namespace spsolve::inline sparse::dissection {
namespace {

/// The sorted ranks of the halo's vertices; joins: how many edges go there.
std::span<LocalIndex> ranks_around(const GraphPart& part, const Halo& halo, Index& joins,
                                   Arena& arena) {
  const auto visit = [&](const auto& note) {
    for (LocalIndex v = 0; v < part.size; ++v)
      for (const LocalIndex u : halo.graph.of(halo.labels[v]))
        if (halo.ranks[u] >= 0) note(halo.ranks[u]);
  };
  joins = 0;
  visit([&](LocalIndex) { ++joins; });
  const auto ranks = arena.take<LocalIndex>(joins);
  auto end = ranks.begin();
  visit([&](LocalIndex rank) { *end++ = rank; });
  std::sort(ranks.begin(), ranks.end());
  return ranks.first(std::unique(ranks.begin(), ranks.end()) - ranks.begin());
}

/// For both widths of integers: `eliminate` is camd_2 or camd_l2, which destroys lists with room
/// for a fifth more than the edges in both directions.
template <typename Integer, typename Eliminate>
void order_with(const GraphPart& part, const Halo& halo, std::span<const LocalIndex> around,
                Index joins, Arena& arena, std::span<LocalIndex> order,
                const Eliminate& eliminate) {
  const LocalIndex size = part.size;
  const Index n = size + std::ssize(around);
  const Index edges = part.edges() + 2 * joins;
  const Index room = edges + edges / 5 + n + 1;
  const auto take = [&](Index count) { return arena.take<Integer>(count).data(); };
  Integer* const starts = take(n + 1);
  Integer* const lengths = take(n + 1);
  Integer* const lists = take(room);
  Integer* const sets = take(n + 1);
  std::fill(lengths + size, lengths + n, 0);
  Index end = 0;
  const auto place = [&](LocalIndex rank) {
    return size + (std::lower_bound(around.begin(), around.end(), rank) - around.begin());
  };
  for (LocalIndex v = 0; v < size; ++v) {
    starts[v] = static_cast<Integer>(end);
    for (Index k = part.starts[v]; k < part.starts[v + 1]; ++k) lists[end++] = part.neighbours[k];
    for (const LocalIndex u : halo.graph.of(halo.labels[v])) {
      if (halo.ranks[u] < 0) continue;
      const Index w = place(halo.ranks[u]);
      lists[end++] = static_cast<Integer>(w);
      ++lengths[w];
    }
    lengths[v] = static_cast<Integer>(end - starts[v]);
    sets[v] = 0;
  }
  for (Index w = size; w < n; ++w) {
    starts[w] = static_cast<Integer>(end);
    end += lengths[w];
    lengths[w] = 0;
    sets[w] = 1;
  }
  for (LocalIndex v = 0; v < size; ++v) {
    for (Index k = part.starts[v + 1] - part.starts[v]; k < lengths[v]; ++k) {
      const Index w = lists[starts[v] + k];
      lists[starts[w] + lengths[w]++] = v;
    }
  }
  Integer* const last = take(n + 1);
  double control[CAMD_CONTROL];
  double info[CAMD_INFO];
  camd_defaults(control);
  eliminate(static_cast<Integer>(n), starts, lists, lengths, static_cast<Integer>(room),
            static_cast<Integer>(edges), take(n + 1), take(n + 1), last, take(n + 1), take(n + 1),
            take(n + 1), take(n + 1), control, info, sets, take(n + 1));
  auto next = order.begin();
  for (Index k = 0; k < n; ++k)
    if (last[k] < size) *next++ = static_cast<LocalIndex>(last[k]);
}

}  // namespace

void order_by_degree(const GraphPart& part, const Halo& halo, Arena& arena,
                     std::span<LocalIndex> order) {
  if (part.size == 0) return;
  const ArenaScope scope(arena);
  Index joins = 0;
  const auto around = ranks_around(part, halo, joins, arena);
  const Index entries = 2 * (part.edges() + 2 * joins + part.size + std::ssize(around));
  if (entries < std::numeric_limits<int>::max()) {
    order_with<int>(part, halo, around, joins, arena, order, camd_2);
  } else {
    order_with<SuiteSparse_long>(part, halo, around, joins, arena, order, camd_l2);
  }
}

}  // namespace spsolve::sparse::dissection
