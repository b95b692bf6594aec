#pragma once

#include <span>
#include <vector>

#include "sparse/dissection/graph.hpp"
#include "sparse/ordering/elimination_tree.hpp"

namespace spsolve::inline sparse {

/// The fronts of a multifrontal elimination (Duff and Reid 1983) in the order in which they are
/// eliminated, children before parents and each subtree contiguous. Unknowns are named by their
/// positions in that order. Front s eliminates the pivots first[s] ... first[s + 1] - 1 and has a
/// border of rows below them, those of its contribution block, which goes to its parent.
struct Fronts {
  std::vector<LocalIndex> first{0};     ///< fronts + 1
  std::vector<LocalIndex> parent;       ///< -1 for a root
  std::vector<Index> border_starts{0};  ///< fronts + 1
  std::vector<LocalIndex> border;       ///< rows of all borders, ascending in each
  /// Where the rows of the border stand in the parent: 0 ... pivots - 1 for its pivots, from there
  /// on for its border.
  std::vector<LocalIndex> in_parent;
  std::vector<Index> child_starts{0};        ///< fronts + 1
  std::vector<LocalIndex> children;          ///< ascending for each front
  std::vector<LocalIndex> first_of_subtree;  ///< the first front of each front's subtree

  LocalIndex size() const { return static_cast<LocalIndex>(parent.size()); }
  LocalIndex order() const { return first.back(); }
  LocalIndex pivots(LocalIndex s) const { return first[s + 1] - first[s]; }
  LocalIndex border_size(LocalIndex s) const {
    return static_cast<LocalIndex>(border_starts[s + 1] - border_starts[s]);
  }
  std::span<const LocalIndex> border_of(LocalIndex s) const {
    return {border.data() + border_starts[s], border.data() + border_starts[s + 1]};
  }
  std::span<const LocalIndex> in_parent_of(LocalIndex s) const {
    return {in_parent.data() + border_starts[s], in_parent.data() + border_starts[s + 1]};
  }
  std::span<const LocalIndex> children_of(LocalIndex s) const {
    return {children.data() + child_starts[s], children.data() + child_starts[s + 1]};
  }
};

/// Fronts of the graph of a matrix that is eliminated in `order` (order[k]: the unknown that is
/// eliminated k-th), a postorder of its elimination tree `tree`; it becomes the order in which the
/// fronts eliminate: supernodes of the elimination tree, small ones taken together with their
/// parents where that adds few zeros (relaxed amalgamation: Ashcraft and Grimes 1989), children in
/// the order that keeps the stack of contribution blocks small (Liu 1986). `compressed`: the graph,
/// and `order` is of its vertices; it is handed back in unknowns, pairs that stay together next to
/// each other from an even place of their front on. Cost: nearly linear in the edges
/// and in the rows of all borders.
Fronts fronts_of(const CompressedGraph& compressed, const EliminationTree& tree,
                 std::vector<LocalIndex>& order);

}  // namespace spsolve::sparse
