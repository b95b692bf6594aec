#include "sparse/fronts/fronts.hpp"

#include <algorithm>
#include <numeric>

#include "core/over_blocks.hpp"
#include "sparse/matching/permutation.hpp"

namespace spsolve::inline sparse {

namespace {

/// Supernodes of an elimination tree on the way to fronts, by their numbers in postorder.
struct Supernodes {
  std::vector<LocalIndex> first;   // vertices; supernodes + 1
  std::vector<LocalIndex> parent;  // -1 for a root
  std::vector<Index> pivots;       // unknowns
  std::vector<Index> border;       // unknowns
  std::vector<LocalIndex> into;    // the supernode that this one was taken into, or itself
  // Lists of the supernodes that were taken into each one; -1 ends a list.
  std::vector<LocalIndex> first_taken, next_taken;

  LocalIndex size() const { return static_cast<LocalIndex>(parent.size()); }
};

/// Adjacent vertices whose columns of L have the same rows.
Supernodes fundamental(const Graph& graph, const std::vector<LocalIndex>& order,
                       const EliminationTree& tree) {
  const LocalIndex n = graph.size();
  Supernodes nodes;
  std::vector<LocalIndex> node_of(n);
  for (LocalIndex k = 0; k < n; ++k) {
    const bool joins = k > 0 && tree.parent[k - 1] == k &&
                       tree.counts[k - 1] - graph.weight(order[k - 1]) == tree.counts[k];
    if (!joins) {
      nodes.first.push_back(k);
      nodes.pivots.push_back(0);
    }
    node_of[k] = static_cast<LocalIndex>(nodes.first.size()) - 1;
    nodes.pivots.back() += graph.weight(order[k]);
  }
  const LocalIndex count = static_cast<LocalIndex>(nodes.first.size());
  nodes.first.push_back(n);
  for (LocalIndex s = 0; s < count; ++s) {
    const LocalIndex last = nodes.first[s + 1] - 1;
    const LocalIndex up = tree.parent[last];
    nodes.parent.push_back(up == -1 ? -1 : node_of[up]);
    nodes.border.push_back(tree.counts[last] - graph.weight(order[last]));
  }
  nodes.into.resize(count);
  std::iota(nodes.into.begin(), nodes.into.end(), 0);
  nodes.first_taken.assign(count, -1);
  nodes.next_taken.assign(count, -1);
  return nodes;
}

/// Whether a front of so many pivots, of whose entries so many are zeros, is worth being one: small
/// fronts cost more than their entries.
bool worth_it(Index pivots, double zeros, double entries) {
  if (pivots <= 6) return true;
  if (pivots <= 16) return zeros <= 0.6 * entries;
  if (pivots <= 48) return zeros <= 0.15 * entries;
  return zeros <= 0.05 * entries;
}

/// Whether to take in what adds hardly any zeros, however many there are: of fronts of few pivots
/// whose borders have thousands of rows each passes up a block that is as large as the last one's.
bool is_chain(Index pivots, Index border, double added, double entries) {
  constexpr Index broad = 8, many_rows = 1000;
  return border >= many_rows && border >= broad * pivots && added <= 0.01 * entries;
}

/// Takes children into their parents.
void amalgamate(Supernodes& nodes) {
  const LocalIndex count = nodes.size();
  std::vector<double> zeros(count, 0);
  std::vector<LocalIndex> first_child(count, -1), next_sibling(count, -1);
  const auto adopt = [&](LocalIndex parent, LocalIndex child) {
    next_sibling[child] = first_child[parent];
    first_child[parent] = child;
  };
  std::vector<std::pair<double, LocalIndex>> candidates;
  for (LocalIndex s = 0; s < count; ++s) {
    candidates.clear();
    for (LocalIndex c = first_child[s]; c != -1; c = next_sibling[c]) {
      const double added = static_cast<double>(nodes.pivots[c]) *
                           static_cast<double>(nodes.pivots[s] + nodes.border[s] - nodes.border[c]);
      candidates.emplace_back(added + zeros[c], c);
    }
    std::sort(candidates.begin(), candidates.end());
    first_child[s] = -1;
    for (const auto& [ignored, c] : candidates) {
      const double height = static_cast<double>(nodes.pivots[s] + nodes.border[s]);
      const double added =
          static_cast<double>(nodes.pivots[c]) * (height - static_cast<double>(nodes.border[c]));
      const Index pivots = nodes.pivots[s] + nodes.pivots[c];
      const double p = static_cast<double>(pivots);
      const double entries = p * (p + 1) / 2 + p * static_cast<double>(nodes.border[s]);
      const double all = zeros[s] + zeros[c] + added;
      if (!worth_it(pivots, all, entries) && !is_chain(pivots, nodes.border[s], added, entries)) {
        adopt(s, c);
        continue;
      }
      zeros[s] = all;
      nodes.pivots[s] = pivots;
      nodes.into[c] = s;
      nodes.next_taken[c] = nodes.first_taken[s];
      nodes.first_taken[s] = c;
      for (LocalIndex g = first_child[c]; g != -1;) {
        const LocalIndex next = next_sibling[g];
        adopt(s, g);
        g = next;
      }
    }
    if (nodes.parent[s] != -1) adopt(nodes.parent[s], s);
  }
  for (LocalIndex s = count - 1; s >= 0; --s) {  // parents are done before children
    nodes.into[s] = nodes.into[s] == s ? s : nodes.into[nodes.into[s]];
  }
}

/// The supernodes that are left, children of each in the order in which the stack of contribution
/// blocks stays smallest: those first whose own peak is most above what they leave on the stack.
std::vector<LocalIndex> stack_postorder(const Supernodes& nodes) {
  const LocalIndex count = nodes.size();
  std::vector<LocalIndex> parent(count, -1), first_child(count, -1), next_sibling(count, -1), own;
  std::vector<double> peak(count, 0);
  const auto block = [&](LocalIndex s) {
    return static_cast<double>(nodes.border[s]) * static_cast<double>(nodes.border[s]);
  };
  for (LocalIndex s = 0; s < count; ++s) {
    if (nodes.into[s] != s) continue;
    own.clear();
    for (LocalIndex c = first_child[s]; c != -1; c = next_sibling[c]) own.push_back(c);
    std::sort(own.begin(), own.end(), [&](LocalIndex a, LocalIndex b) {
      const double first = peak[a] - block(a), second = peak[b] - block(b);
      return first != second ? first > second : a < b;
    });
    double live = 0;
    for (const LocalIndex c : own) {
      peak[s] = std::max(peak[s], live + peak[c]);
      live += block(c);
    }
    peak[s] = std::max(peak[s], live + block(s));
    first_child[s] = -1;
    for (std::size_t i = own.size(); i-- > 0;) {
      next_sibling[own[i]] = first_child[s];
      first_child[s] = own[i];
    }
    if (nodes.parent[s] == -1) continue;
    parent[s] = nodes.into[nodes.parent[s]];
    next_sibling[s] = first_child[parent[s]];
    first_child[parent[s]] = s;
  }
  std::vector<LocalIndex> all = postorder(parent, first_child, next_sibling);
  std::erase_if(all, [&](LocalIndex s) { return nodes.into[s] != s; });
  return all;
}

/// Vertices of a supernode and of all that were taken into it, children's before parents'. `all` is
/// what it works with.
void list_vertices(const Supernodes& nodes, LocalIndex s, std::vector<LocalIndex>& all,
                   std::vector<LocalIndex>& result) {
  all.assign(1, s);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (LocalIndex t = nodes.first_taken[all[i]]; t != -1; t = nodes.next_taken[t]) {
      all.push_back(t);
    }
  }
  std::sort(all.begin(), all.end());
  for (const LocalIndex node : all) {
    for (LocalIndex v = nodes.first[node]; v < nodes.first[node + 1]; ++v) result.push_back(v);
  }
}

/// Puts the unknowns of a front such that pairs that stay together begin at even places in it, and
/// so lie in one block of pivots, whose width is even: vertices of an even number first, and pairs
/// first in each, but after one unknown that is alone where that is needed.
class PairPlaces {
 public:
  explicit PairPlaces(const CompressedGraph& compressed) : compressed_(compressed) {}

  /// Puts these vertices, of one front, into another order.
  void arrange(std::span<LocalIndex> vertices) const {
    std::stable_partition(vertices.begin(), vertices.end(),
                          [&](LocalIndex v) { return compressed_.graph.weight(v) % 2 == 0; });
  }

  /// Appends the unknowns of a vertex, at a place of its front that is odd or even.
  void append(LocalIndex vertex, bool odd, std::vector<LocalIndex>& result) const {
    const std::vector<LocalIndex>& members = compressed_.members;
    const auto begin = members.begin() + compressed_.firsts[vertex],
               end = members.begin() + compressed_.firsts[vertex + 1];
    const auto is_alone = [&](LocalIndex u) { return compressed_.mate[u] == u; };
    const auto first = odd ? std::find_if(begin, end, is_alone) : end;
    if (first != end) result.push_back(*first);
    for (auto u = begin; u != end; ++u) {
      if (!is_alone(*u)) result.push_back(*u);
    }
    for (auto u = begin; u != end; ++u) {
      if (is_alone(*u) && u != first) result.push_back(*u);
    }
  }

 private:
  const CompressedGraph& compressed_;
};

void find_children(Fronts& fronts) {
  const LocalIndex count = fronts.size();
  fronts.child_starts.assign(count + 1, 0);
  for (const LocalIndex up : fronts.parent) {
    if (up != -1) ++fronts.child_starts[up + 1];
  }
  std::partial_sum(fronts.child_starts.begin(), fronts.child_starts.end(),
                   fronts.child_starts.begin());
  fronts.children.resize(fronts.child_starts[count]);
  std::vector<Index> next(fronts.child_starts.begin(), fronts.child_starts.end() - 1);
  fronts.first_of_subtree.resize(count);
  std::iota(fronts.first_of_subtree.begin(), fronts.first_of_subtree.end(), 0);
  for (LocalIndex s = 0; s < count; ++s) {
    const LocalIndex up = fronts.parent[s];
    if (up == -1) continue;
    fronts.children[next[up]++] = s;
    fronts.first_of_subtree[up] = std::min(fronts.first_of_subtree[up], fronts.first_of_subtree[s]);
  }
}

/// Rows of all borders: each row appears in the fronts on the paths from its entries of A up to
/// where it is a pivot itself; walked row by row, borders come out ascending.
class Borders {
 public:
  /// unknowns: the first of each place of the graph, and all.
  Borders(const PlacedGraph& graph, const std::vector<LocalIndex>& front_of,
          const std::vector<LocalIndex>& unknowns, Fronts& fronts)
      : graph_(graph),
        front_of_(front_of),
        unknowns_(unknowns),
        fronts_(fronts),
        seen_(fronts.size(), -1),
        next_(fronts.border_starts.begin(), fronts.border_starts.end() - 1) {}

  void find() {
    const std::vector<PlaceRange> subtrees = subtrees_to_share(fronts_.parent);
    std::vector<PlaceRange> places;
    // Where the way of a row above goes on out of a subtree.
    std::vector<LocalIndex> outside(fronts_.size());
    std::iota(outside.begin(), outside.end(), 0);
    for (const PlaceRange& subtree : subtrees) {
      const auto place = [&](LocalIndex front) {
        return static_cast<LocalIndex>(std::ranges::lower_bound(front_of_, front) -
                                       front_of_.begin());
      };
      places.push_back({place(subtree.first), place(subtree.end)});
      std::fill(outside.begin() + subtree.first, outside.begin() + subtree.end,
                fronts_.parent[subtree.end - 1]);
    }
#pragma omp parallel for schedule(dynamic) if (!subtrees.empty())
    for (std::size_t s = 0; s < subtrees.size(); ++s) {
      for (LocalIndex k = places[s].first; k < places[s].end; ++k) {
        walk(k, [&](LocalIndex front) { return front; });
      }
      walk_rows_above(places[s], subtrees[s].end);
    }
    walk_around(
        places, graph_.size(),
        [&](LocalIndex k) { walk(k, [&](LocalIndex front) { return outside[front]; }); },
        [](std::size_t) {});
  }

 private:
  /// Row k in the fronts from `front` on, below `end`.
  void climb(LocalIndex k, LocalIndex front, LocalIndex end) {
    for (LocalIndex s = front; s < end && seen_[s] != k; s = fronts_.parent[s]) {
      seen_[s] = k;
      for (LocalIndex row = unknowns_[k]; row < unknowns_[k + 1]; ++row) {
        fronts_.border[next_[s]++] = row;
      }
    }
  }

  /// Row k; begin(front): where its way up from an entry in that front begins.
  template <typename Begin>
  void walk(LocalIndex k, const Begin& begin) {
    const LocalIndex own = front_of_[k];
    seen_[own] = k;
    for (const LocalIndex i : graph_.of(k)) {
      if (i < k) climb(k, begin(front_of_[i]), own);
    }
  }

  /// Within a subtree, the fronts before `end`, the rows that are pivots above it.
  void walk_rows_above(const PlaceRange& places, LocalIndex end) {
    std::vector<std::pair<LocalIndex, LocalIndex>> entries;  // row, front
    for (LocalIndex i = places.first; i < places.end; ++i) {
      for (const LocalIndex k : graph_.of(i)) {
        if (k >= places.end) entries.emplace_back(k, front_of_[i]);
      }
    }
    std::ranges::sort(entries);
    for (const auto& [k, front] : entries) climb(k, front, end);
  }

  const PlacedGraph& graph_;
  const std::vector<LocalIndex>&front_of_, &unknowns_;
  Fronts& fronts_;
  std::vector<LocalIndex> seen_;
  std::vector<Index> next_;
};

void find_places_in_parents(Fronts& fronts) {
  fronts.in_parent.resize(fronts.border.size());
#pragma omp parallel for schedule(dynamic, 64) if (worth_threads(std::ssize(fronts.border)))
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    const LocalIndex up = fronts.parent[s];
    if (up == -1) continue;
    const LocalIndex first = fronts.first[up], end = fronts.first[up + 1];
    const auto rows = fronts.border_of(s);
    const auto above = fronts.border_of(up);
    LocalIndex* place = fronts.in_parent.data() + fronts.border_starts[s];
    std::size_t j = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] < end) {
        place[i] = rows[i] - first;
        continue;
      }
      while (above[j] != rows[i]) ++j;
      place[i] = end - first + static_cast<LocalIndex>(j);
    }
  }
}

}  // namespace

Fronts fronts_of(const CompressedGraph& compressed, const EliminationTree& tree,
                 std::vector<LocalIndex>& order) {
  const Graph& graph = compressed.graph;
  const LocalIndex n = graph.size();
  Supernodes nodes = fundamental(graph, order, tree);
  amalgamate(nodes);

  Fronts fronts;
  std::vector<LocalIndex> sequence, front_of(n), number(nodes.size(), -1), together;
  sequence.reserve(n);
  const std::vector<LocalIndex> left = stack_postorder(nodes);
  const bool pairs = !compressed.mate.empty();
  const PairPlaces pair_places(compressed);
  for (const LocalIndex s : left) {
    const LocalIndex front = static_cast<LocalIndex>(fronts.first.size()) - 1;
    number[s] = front;
    const std::size_t before = sequence.size();
    list_vertices(nodes, s, together, sequence);
    std::fill(front_of.begin() + before, front_of.begin() + sequence.size(), front);
    fronts.first.push_back(fronts.first.back() + static_cast<LocalIndex>(nodes.pivots[s]));
    fronts.border_starts.push_back(fronts.border_starts.back() + nodes.border[s]);
  }
  for (const LocalIndex s : left) {
    fronts.parent.push_back(nodes.parent[s] == -1 ? -1 : number[nodes.into[nodes.parent[s]]]);
  }
  fronts.border.resize(fronts.border_starts.back());
  find_children(fronts);

  std::vector<LocalIndex> vertices(n), unknowns(n + 1, 0), result;
  for (LocalIndex k = 0; k < n; ++k) vertices[k] = order[sequence[k]];
  if (pairs) {
    for (LocalIndex k = 0, end = 0; k < n; k = end) {
      while (end < n && front_of[end] == front_of[k]) ++end;
      pair_places.arrange(std::span(vertices).subspan(k, end - k));
    }
  }
  for (LocalIndex k = 0; k < n; ++k) unknowns[k + 1] = unknowns[k] + graph.weight(vertices[k]);
  const PlacedGraph by_places = placed(graph, vertices);
  Borders(by_places, front_of, unknowns, fronts).find();
  find_places_in_parents(fronts);

  result.reserve(unknowns[n]);
  for (LocalIndex k = 0; k < n; ++k) {
    if (pairs) {
      const LocalIndex place = unknowns[k] - fronts.first[front_of[k]];
      pair_places.append(vertices[k], place % 2 == 1, result);
    } else {
      result.insert(result.end(), compressed.members.begin() + compressed.firsts[vertices[k]],
                    compressed.members.begin() + compressed.firsts[vertices[k] + 1]);
    }
  }
  order = std::move(result);
  return fronts;
}

}  // namespace spsolve::sparse
