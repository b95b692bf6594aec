#include "sparse/dissection/coarsen.hpp"

#include <algorithm>
#include <limits>

namespace spsolve::dissection {
namespace {

constexpr LocalIndex none = -1;

/// mate[v] = the neighbour that the most edges join to v among those that are still alone.
template <bool weighted>
void match_neighbours(const Part& graph, Index heaviest, std::span<LocalIndex> mate) {
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
void match_over_two_edges(const Part& graph, Index heaviest, std::span<LocalIndex> mate) {
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

/// The graph whose vertices are the pairs; count: how many there are.
template <bool weighted>
Part contract(const Part& graph, std::span<const LocalIndex> mate,
              std::span<const LocalIndex> coarse_of, LocalIndex count, Arena& arena) {
  const auto starts = arena.take<Index>(count + 1);
  const auto weights = arena.take<LocalIndex>(count);
  const auto neighbours = arena.take<LocalIndex>(graph.edges());
  const auto edge_weights = arena.take<LocalIndex>(graph.edges());
  const ArenaScope scratch(arena);
  // Where row c has the neighbour u: base + place[u], if that lies in row c.
  const auto place = arena.take<LocalIndex>(count);
  Index base = 0;
  std::fill(place.begin(), place.end(), none);
  Index end = 0;
  LocalIndex c = 0;
  for (LocalIndex v = 0; v < graph.size; ++v) {
    if (mate[v] < v) continue;
    starts[c] = end;
    if (end + 2 * Index{graph.size} - base > std::numeric_limits<LocalIndex>::max()) {
      base = end;
      std::fill(place.begin(), place.end(), none);
    }
    const auto first = static_cast<LocalIndex>(end - base);
    const auto add = [&](LocalIndex member) {
      for (Index k = graph.starts[member]; k < graph.starts[member + 1]; ++k) {
        const LocalIndex u = coarse_of[graph.neighbours[k]];
        if (u == c) continue;
        const LocalIndex edge = weighted ? graph.edge_weights[k] : 1;
        if (place[u] >= first) {
          edge_weights[base + place[u]] += edge;
        } else {
          place[u] = static_cast<LocalIndex>(end - base);
          neighbours[end] = u;
          edge_weights[end++] = edge;
        }
      }
    };
    add(v);
    weights[c] = graph.weights[v];
    if (mate[v] != v) {
      add(mate[v]);
      weights[c] += graph.weights[mate[v]];
    }
    ++c;
  }
  starts[count] = end;
  return {count,          starts.data(), neighbours.data(), edge_weights.data(),
          weights.data(), graph.weight};
}

}  // namespace

Coarser coarsen(const Part& graph, Index heaviest, Arena& arena) {
  const auto coarse_of = arena.take<LocalIndex>(graph.size);
  const auto mate = arena.take<LocalIndex>(graph.size);
  std::fill(mate.begin(), mate.end(), none);
  const bool weighted = graph.edge_weights != nullptr;
  (weighted ? match_neighbours<true> : match_neighbours<false>)(graph, heaviest, mate);
  const auto alone = std::count(mate.begin(), mate.end(), none);
  if (alone > graph.size / 10) match_over_two_edges(graph, heaviest, mate);
  LocalIndex count = 0;
  for (LocalIndex v = 0; v < graph.size; ++v) {
    if (mate[v] == none) mate[v] = v;
    coarse_of[v] = mate[v] < v ? coarse_of[mate[v]] : count++;
  }
  return {(weighted ? contract<true> : contract<false>)(graph, mate, coarse_of, count, arena),
          coarse_of};
}

}  // namespace spsolve::dissection
