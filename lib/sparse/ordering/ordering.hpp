#pragma once

#include <span>
#include <string>
#include <vector>

#include "process/progress.hpp"
#include "solve/operators/options.hpp"
#include "sparse/dissection/graph.hpp"
#include "sparse/ordering/elimination_tree.hpp"

namespace spsolve::inline sparse {

/// An order of elimination: order[k] is the vertex that is eliminated k-th.
struct OrderedGraph {
  Ordering ordering = Ordering::natural;  ///< how it was found; never automatic
  std::vector<LocalIndex> order;          ///< a postorder of its elimination tree
  EliminationTree tree;
  EliminationCost cost;
};

/// What an order is for: where it is eliminated, and how many systems of the pattern are expected.
struct OrderUse {
  MemoryKind memory = MemoryKind::host;
  Index systems = 1;
  Progress* progress = nullptr;  ///< told of a dissection as it goes on, which it may end
};

/// Orders a graph so that its elimination fills in little.
/// - nested_dissection: separators first found are eliminated last, see dissection.hpp;
/// - amd: approximate minimum degree (Amestoy, Davis and Duff 1996), by SuiteSparse's AMD;
/// - rcm: reverse Cuthill-McKee (1969) from a pseudo-peripheral vertex of each component;
/// - natural: as it is;
/// - file: as `given`, an order of its vertices that a file had;
/// - automatic: amd for small graphs; dissection for those that are like solids, and amd as well
///   where it shows that they fill in more than these do; else amd, and where the elimination is
///   predicted to take longer than a dissection would, dissection as well: the one whose
///   elimination takes fewer flops. On a GPU, whose time for a tree is that of its longest path
///   where fronts are small, the one that is predicted to take less time: minimum degree makes one
///   long path of what is banded. There the eliminations of all systems count.
/// Cost: some 3 microseconds a vertex for dissection, 1 for amd; memory of a few copies of the
/// graph. Throws Error(resources) where memory is short, and what `use.progress` throws.
OrderedGraph order_graph(const Graph& graph, Ordering wanted,
                         std::span<const LocalIndex> given = {}, OrderUse use = {});

/// Whether rows, or vertices, have about as many neighbours, `mean` of them and at most `most`, as
/// many as in three dimensions.
bool has_degrees_of_solids(double mean, double most);

/// Seconds that an elimination is predicted to take, as a rough model of hosts has it.
double predicted_seconds(double flops, Index factor_entries, int threads);
/// Predicted seconds of an elimination on a GPU that has started, which takes so long for the
/// longest path of the tree alone.
double predicted_gpu_seconds(double flops, Index factor_entries, double longest_path);

}  // namespace spsolve::sparse
