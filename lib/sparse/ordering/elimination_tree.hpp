#pragma once

#include <span>
#include <vector>

#include "sparse/dissection/graph.hpp"

namespace spsolve::inline sparse {

/// The elimination tree of a graph whose vertices are eliminated in an order, with the sizes of the
/// columns of L, in positions of that order: parent[k] is the row of the first entry below the
/// diagonal of column k of L, or -1; counts[k] is the number of its entries, the diagonal block and
/// the weights of vertices included.
struct EliminationTree {
  std::vector<LocalIndex> parent;
  std::vector<Index> counts;
};

/// Puts `order` (order[k]: the vertex that is eliminated k-th) into a postorder of its elimination
/// tree, which leaves the fill as it is, and hands back the tree in positions of the new order:
/// parents follow their children, and each subtree is a contiguous range. Source: tree by Liu
/// (1990), counts by Gilbert, Ng and Peyton (1994). `apart`: ascending ranges of the order of which
/// no two have an edge between them, which threads share. The postorder and the tree do not depend
/// on them. Cost: nearly linear in the edges; 40 bytes a vertex, and the graph once more, in
/// addition to the result.
EliminationTree postordered_tree(const Graph& graph, std::vector<LocalIndex>& order,
                                 const std::vector<PlaceRange>& apart = {});

/// Subtrees of a forest in postorder that threads share: the largest ones of at most a 64th of all
/// nodes, but no very small ones, ascending. None where there is one thread, or little to share.
std::vector<PlaceRange> subtrees_to_share(const std::vector<LocalIndex>& parent);

/// The nodes of a forest in postorder, children of a node in the order of next_sibling from
/// first_child on; roots in ascending order. parent[k] == -1 marks roots.
std::vector<LocalIndex> postorder(const std::vector<LocalIndex>& parent,
                                  const std::vector<LocalIndex>& first_child,
                                  const std::vector<LocalIndex>& next_sibling);

/// Nodes on the longest path of a forest whose children come before their parents.
Index height_of(std::span<const LocalIndex> parent);

/// The cost of the elimination of a symmetric matrix in that order: entries of L and flops of L L^T
/// (sum over the columns of the square of their counts; LU takes twice as many of both).
struct EliminationCost {
  Index entries = 0;
  double flops = 0;
};
EliminationCost cost_of(const Graph& graph, std::vector<LocalIndex> order);
/// The cost of an elimination if the tree of that order is known.
EliminationCost cost_of(const Graph& graph, const std::vector<LocalIndex>& order,
                        const EliminationTree& tree);

}  // namespace spsolve::sparse
