#include "sparse/ordering/elimination_tree.hpp"

#include <algorithm>

#include "sparse/matching/permutation.hpp"

namespace spsolve {

namespace {

/// Parents, by places.
std::vector<LocalIndex> parents(const PlacedGraph& graph) {
  const LocalIndex n = graph.size();
  std::vector<LocalIndex> parent(n, -1), ancestor(n, -1);
  for (LocalIndex k = 0; k < n; ++k) {
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
  }
  return parent;
}

/// Leaves of row subtrees tell where a row's entries in L begin and where its paths meet.
class ColumnCounts {
 public:
  ColumnCounts(const PlacedGraph& graph, const std::vector<LocalIndex>& parent)
      : graph_(graph),
        parent_(parent),
        first_(parent.size(), -1),
        latest_first_(parent.size(), -1),
        previous_leaf_(parent.size(), -1),
        set_(parent.size()) {}

  std::vector<Index> run() {
    const LocalIndex n = graph_.size();
    std::vector<Index> counts(n, 0);
    for (LocalIndex j = 0; j < n; ++j) {
      set_[j] = j;
      if (first_[j] == -1) counts[j] = weight(j);  // a leaf of the tree
      for (LocalIndex a = j; a != -1 && first_[a] == -1; a = parent_[a]) first_[a] = j;
    }
    for (LocalIndex j = 0; j < n; ++j) {
      if (parent_[j] != -1) counts[parent_[j]] -= weight(j);
      for (const LocalIndex i : graph_.of(j)) {
        if (i <= j || first_[j] <= latest_first_[i]) continue;
        latest_first_[i] = first_[j];
        counts[j] += weight(i);
        if (previous_leaf_[i] != -1) counts[meeting(previous_leaf_[i])] -= weight(i);
        previous_leaf_[i] = j;
      }
      if (parent_[j] != -1) set_[j] = parent_[j];
    }
    for (LocalIndex j = 0; j < n; ++j) {
      if (parent_[j] != -1) counts[parent_[j]] += counts[j];
    }
    return counts;
  }

 private:
  Index weight(LocalIndex k) const { return graph_.weight(k); }

  /// The lowest ancestor of `leaf` whose subtree is not walked through yet.
  LocalIndex meeting(LocalIndex leaf) {
    LocalIndex root = leaf;
    while (set_[root] != root) root = set_[root];
    while (set_[leaf] != root && leaf != root) {
      const LocalIndex next = set_[leaf];
      set_[leaf] = root;
      leaf = next;
    }
    return root;
  }

  const PlacedGraph& graph_;
  const std::vector<LocalIndex>& parent_;
  std::vector<LocalIndex> first_;         // first descendant in postorder
  std::vector<LocalIndex> latest_first_;  // of the leaves of a row's subtree so far
  std::vector<LocalIndex> previous_leaf_;
  std::vector<LocalIndex> set_;
};

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

EliminationTree postordered_tree(const Graph& graph, std::vector<LocalIndex>& order) {
  const LocalIndex n = graph.size();
  const std::vector<LocalIndex> parent = parents(placed(graph, order));
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
  tree.counts = ColumnCounts(placed(graph, order), tree.parent).run();
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

}  // namespace spsolve
