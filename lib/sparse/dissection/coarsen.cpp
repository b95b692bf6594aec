#include "sparse/dissection/coarsen.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "sparse/dissection/blocks.hpp"

namespace spsolve::inline sparse::dissection {
namespace {

constexpr LocalIndex none = -1;

/// mate[v] = the neighbour that the most edges join to v among those that are still alone. By one
/// thread: pairs that are made within blocks, and by blocks at last, break the likeness of pairs
/// where blocks meet, and factors of meshes take 1.3 to 1.6 times the operations.
template <bool weighted>
void match_neighbours(const GraphPart& graph, Index heaviest, std::span<LocalIndex> mate) {
  for (LocalIndex v = 0; v < graph.size; ++v) {
    if (mate[v] != none) continue;
    const Index room = heaviest - graph.weights[v];
    LocalIndex best = none;
    LocalIndex best_edge = 0;
    LocalIndex best_weight = 0;
    for (Index e = graph.starts[v]; e < graph.starts[v + 1]; ++e) {
      const LocalIndex u = graph.neighbours[e];
      if (mate[u] != none || graph.weights[u] > room) continue;
      const LocalIndex edge = weighted ? graph.edge_weights[e] : 1;
      if (edge > best_edge || (edge == best_edge && graph.weights[u] < best_weight)) {
        best = u;
        best_edge = edge;
        best_weight = graph.weights[u];
      }
    }
    if (best != none) {
      mate[v] = best;
      mate[best] = v;
    }
  }
}

/// Pairs of what is still alone and shares a neighbour, or has none.
void match_over_two_edges(const GraphPart& graph, Index heaviest, std::span<LocalIndex> mate) {
  const auto pair_up = [&](LocalIndex& waiting, LocalIndex v) {
    if (mate[v] != none) return;
    if (waiting == none || graph.weights[waiting] + Index{graph.weights[v]} > heaviest) {
      waiting = v;
      return;
    }
    mate[v] = waiting;
    mate[waiting] = v;
    waiting = none;
  };
  LocalIndex lonely = none;
  for (LocalIndex v = 0; v < graph.size; ++v) {
    if (graph.starts[v] == graph.starts[v + 1]) pair_up(lonely, v);
    LocalIndex waiting = none;
    for (Index k = graph.starts[v]; k < graph.starts[v + 1]; ++k)
      pair_up(waiting, graph.neighbours[k]);
  }
}

/// Rows of a coarser graph on their way: what a block of vertices has of them.
struct Contracted {
  LocalIndex* neighbours;
  LocalIndex* edge_weights;
};

/// Rows of the pairs whose first members are first ... end - 1, from row c on: where each ends, by
/// starts[c + 1] counted from the block's begin.
template <bool weighted>
void contract_block(const GraphPart& graph, std::span<const LocalIndex> mate,
                    std::span<const LocalIndex> coarse_of, LocalIndex first, LocalIndex last,
                    LocalIndex c, const Contracted& to, Index* starts, LocalIndex* weights,
                    std::span<LocalIndex> place) {
  // Where row c has the neighbour u: base + place[u], if that lies in row c.
  Index base = 0;
  std::fill(place.begin(), place.end(), none);
  Index end = 0;
  for (LocalIndex v = first; v < last; ++v) {
    if (mate[v] < v) continue;
    if (end + 2 * Index{graph.size} - base > std::numeric_limits<LocalIndex>::max()) {
      base = end;
      std::fill(place.begin(), place.end(), none);
    }
    const auto begin = static_cast<LocalIndex>(end - base);
    const auto add = [&](LocalIndex member) {
      for (Index k = graph.starts[member]; k < graph.starts[member + 1]; ++k) {
        const LocalIndex u = coarse_of[graph.neighbours[k]];
        if (u == c) continue;
        const LocalIndex edge = weighted ? graph.edge_weights[k] : 1;
        if (place[u] >= begin) {
          to.edge_weights[base + place[u]] += edge;
        } else {
          place[u] = static_cast<LocalIndex>(end - base);
          to.neighbours[end] = u;
          to.edge_weights[end++] = edge;
        }
      }
    };
    add(v);
    weights[c] = graph.weights[v];
    if (mate[v] != v) {
      add(mate[v]);
      weights[c] += graph.weights[mate[v]];
    }
    starts[++c] = end;
  }
}

/// The graph whose vertices are the pairs. firsts: the first one of each block.
template <bool weighted>
GraphPart contract(const GraphPart& graph, const Blocks& blocks, std::span<const LocalIndex> mate,
                   std::span<const LocalIndex> coarse_of, const std::vector<LocalIndex>& firsts,
                   Workspaces& workspaces, Arena& arena) {
  const LocalIndex count = firsts.back();
  const auto starts = arena.take<Index>(count + 1);
  const auto weights = arena.take<LocalIndex>(count);
  const auto neighbours = arena.take<LocalIndex>(graph.edges());
  const auto edge_weights = arena.take<LocalIndex>(graph.edges());
  const ArenaScope scratch(arena);
  // Each block where its rows find room before it is known how much shorter others became.
  const bool several = blocks.count() > 1;
  const Contracted apart{
      several ? arena.take<LocalIndex>(graph.edges()).data() : neighbours.data(),
      several ? arena.take<LocalIndex>(graph.edges()).data() : edge_weights.data()};
  const auto room = blocks.before_each<Index>([&](LocalIndex first, LocalIndex end) {
    Index most = 0;
    const auto degree = [&](LocalIndex v) { return graph.starts[v + 1] - graph.starts[v]; };
    for (LocalIndex v = first; v < end; ++v) {
      if (mate[v] >= v) most += degree(v) + (mate[v] > v ? degree(mate[v]) : 0);
    }
    return most;
  });
  starts[0] = 0;
  const auto contract_by = [&](Arena& own, int block, LocalIndex first, LocalIndex end) {
    const ArenaScope scope(own);
    contract_block<weighted>(graph, mate, coarse_of, first, end, firsts[block],
                             {apart.neighbours + room[block], apart.edge_weights + room[block]},
                             starts.data(), weights.data(), own.take<LocalIndex>(count));
  };
  blocks.each([&](int block, LocalIndex first, LocalIndex end) {
    if (!several) return contract_by(arena, block, first, end);
    Workspaces::Loan loan(workspaces);
    contract_by((*loan).arena, block, first, end);
  });
  if (several) {
    std::vector<Index> before(blocks.count() + 1, 0);
    for (int block = 0; block < blocks.count(); ++block) {
      const bool empty = firsts[block] == firsts[block + 1];
      before[block + 1] = before[block] + (empty ? 0 : starts[firsts[block + 1]]);
    }
    blocks.each([&](int block, LocalIndex, LocalIndex) {
      const Index size = before[block + 1] - before[block];
      std::copy_n(apart.neighbours + room[block], size, neighbours.data() + before[block]);
      std::copy_n(apart.edge_weights + room[block], size, edge_weights.data() + before[block]);
      for (LocalIndex c = firsts[block]; c < firsts[block + 1]; ++c) {
        starts[c + 1] += before[block];
      }
    });
  }
  return {count,          starts.data(), neighbours.data(), edge_weights.data(),
          weights.data(), graph.weight};
}

template <bool weighted>
Coarser coarsen_of(const GraphPart& graph, Index heaviest, Workspaces& workspaces, Arena& arena) {
  const Blocks blocks(graph);
  const auto coarse_of = arena.take<LocalIndex>(graph.size);
  const auto mate = arena.take<LocalIndex>(graph.size);
  std::fill(mate.begin(), mate.end(), none);
  match_neighbours<weighted>(graph, heaviest, mate);
  const auto alone = std::count(mate.begin(), mate.end(), none);
  if (alone > graph.size / 10) match_over_two_edges(graph, heaviest, mate);
  const auto firsts = blocks.starts<LocalIndex>([&](LocalIndex first, LocalIndex end) {
    LocalIndex count = 0;
    for (LocalIndex v = first; v < end; ++v) {
      if (mate[v] == none) mate[v] = v;
      count += mate[v] >= v;
    }
    return count;
  });
  blocks.each([&](int block, LocalIndex first, LocalIndex end) {
    LocalIndex c = firsts[block];
    for (LocalIndex v = first; v < end; ++v) {
      if (mate[v] >= v) {
        coarse_of[v] = c++;
      } else if (mate[v] >= first) {
        coarse_of[v] = coarse_of[mate[v]];
      }
    }
  });
  if (blocks.count() > 1) {
    blocks.each([&](int, LocalIndex first, LocalIndex end) {
      for (LocalIndex v = first; v < end; ++v) {
        if (mate[v] < first) coarse_of[v] = coarse_of[mate[v]];
      }
    });
  }
  return {contract<weighted>(graph, blocks, mate, coarse_of, firsts, workspaces, arena), coarse_of};
}

}  // namespace

Coarser coarsen(const GraphPart& graph, Index heaviest, Workspaces& workspaces, Arena& arena) {
  return graph.edge_weights != nullptr ? coarsen_of<true>(graph, heaviest, workspaces, arena)
                                       : coarsen_of<false>(graph, heaviest, workspaces, arena);
}

}  // namespace spsolve::sparse::dissection
