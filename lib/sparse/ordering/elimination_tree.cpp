#include "sparse/ordering/elimination_tree.hpp"

#include <algorithm>

#include <omp.h>

#include "core/over_blocks.hpp"
#include "sparse/matching/permutation.hpp"
#include "sparse/ordering/column_counts.hpp"

namespace spsolve::inline sparse {

namespace {

/// Parents, by places: first within `apart` by all threads, then of the others.
std::vector<LocalIndex> parents(const PlacedGraph& graph, const std::vector<PlaceRange>& apart) {
  const LocalIndex n = graph.size();
  std::vector<LocalIndex> parent(n, -1), ancestor(n, -1);
  const auto link = [&](LocalIndex k) {
    for (LocalIndex i : graph.of(k)) {
      while (i < k) {  // up to the root of what is eliminated so far, shortening the way
        const LocalIndex next = ancestor[i];
        ancestor[i] = k;
        if (next == k) break;
        if (next == -1) {
          parent[i] = k;
          break;
        }
        i = next;
      }
    }
  };
#pragma omp parallel for schedule(dynamic) if (!apart.empty())
  for (const PlaceRange& range : apart) {
    for (LocalIndex k = range.first; k < range.end; ++k) link(k);
  }
  walk_around(apart, n, link, [](std::size_t) {});
  return parent;
}

}  // namespace

std::vector<LocalIndex> postorder(const std::vector<LocalIndex>& parent,
                                  const std::vector<LocalIndex>& first_child,
                                  const std::vector<LocalIndex>& next_sibling) {
  const LocalIndex n = static_cast<LocalIndex>(parent.size());
  std::vector<LocalIndex> result, next(first_child), path;
  result.reserve(n);
  for (LocalIndex root = 0; root < n; ++root) {
    if (parent[root] != -1) continue;
    path.push_back(root);
    while (!path.empty()) {
      const LocalIndex node = path.back();
      if (next[node] != -1) {
        const LocalIndex child = next[node];
        next[node] = next_sibling[child];
        path.push_back(child);
      } else {
        result.push_back(node);
        path.pop_back();
      }
    }
  }
  return result;
}

std::vector<PlaceRange> subtrees_to_share(const std::vector<LocalIndex>& parent) {
  const auto n = static_cast<LocalIndex>(parent.size());
  if (omp_get_max_threads() == 1 || n < worthwhile_elements) return {};
  constexpr LocalIndex wanted = 64, least = 64;
  std::vector<LocalIndex> size(n, 1);
  for (LocalIndex k = 0; k < n; ++k) {
    if (parent[k] != -1) size[parent[k]] += size[k];
  }
  const LocalIndex most = n / wanted;
  std::vector<PlaceRange> result;
  for (LocalIndex k = 0; k < n; ++k) {
    if (size[k] < least || size[k] > most) continue;
    if (parent[k] == -1 || size[parent[k]] > most) result.push_back({k + 1 - size[k], k + 1});
  }
  return result;
}

EliminationTree postordered_tree(const Graph& graph, std::vector<LocalIndex>& order,
                                 const std::vector<PlaceRange>& apart) {
  const LocalIndex n = graph.size();
  const std::vector<LocalIndex> parent = parents(placed(graph, order), apart);
  std::vector<LocalIndex> first_child(n, -1), next_sibling(n, -1);
  for (LocalIndex k = n - 1; k >= 0; --k) {
    if (parent[k] == -1) continue;
    next_sibling[k] = first_child[parent[k]];
    first_child[parent[k]] = k;
  }
  const std::vector<LocalIndex> post = postorder(parent, first_child, next_sibling);
  const std::vector<LocalIndex> place = inverse_of(post);
  EliminationTree tree;
  tree.parent.resize(n);
  std::vector<LocalIndex> reordered(n);
  for (LocalIndex k = 0; k < n; ++k) {
    reordered[k] = order[post[k]];
    tree.parent[k] = parent[post[k]] == -1 ? -1 : place[parent[post[k]]];
  }
  order = std::move(reordered);
  tree.counts = column_counts(placed(graph, order), tree.parent);
  return tree;
}

Index height_of(std::span<const LocalIndex> parent) {
  std::vector<LocalIndex> height(parent.size(), 1);
  LocalIndex most = 0;
  for (std::size_t k = 0; k < parent.size(); ++k) {
    most = std::max(most, height[k]);
    if (parent[k] >= 0) height[parent[k]] = std::max(height[parent[k]], height[k] + 1);
  }
  return most;
}

EliminationCost cost_of(const Graph& graph, std::vector<LocalIndex> order) {
  const EliminationTree tree = postordered_tree(graph, order);
  return cost_of(graph, order, tree);
}

EliminationCost cost_of(const Graph& graph, const std::vector<LocalIndex>& order,
                        const EliminationTree& tree) {
  EliminationCost cost;
  for (LocalIndex k = 0; k < graph.size(); ++k) {
    // A vertex of weight w is w columns, of counts[k], counts[k] - 1, ... entries.
    const Index last = tree.counts[k] - graph.weight(order[k]);
    for (Index height = tree.counts[k]; height > last; --height) {
      cost.entries += height;
      cost.flops += static_cast<double>(height) * static_cast<double>(height);
    }
  }
  return cost;
}

}  // namespace spsolve::sparse
