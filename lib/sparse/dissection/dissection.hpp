#pragma once

#include <vector>

#include "process/progress.hpp"
#include "sparse/dissection/graph.hpp"

namespace spsolve::inline sparse {

/// Of the work of an analysis, as its progress has it: what comes after finds the fronts.
constexpr double share_of_ordering = 0.8;

struct DissectionOptions {
  int threads = 0;        ///< 0: as many as OpenMP gives
  LocalIndex leaf = 600;  ///< parts of at most so many vertices are ordered by minimum degree
  Progress* progress = nullptr;  ///< told of vertices that have their places; it may end the work
};

/// An elimination order with little fill, by nested dissection (George 1973; Lipton, Rose and
/// Tarjan 1979): order[k] = the vertex that is eliminated k-th. A small set of vertices whose
/// removal leaves two parts of about the same weight comes last, and so on within the parts; small
/// parts are ordered by approximate minimum degree (Amestoy, Davis and Duff 1996). Such separators
/// are found on a series of coarser graphs (Hendrickson and Rothberg 1998; Karypis and Kumar 1998).
/// Vertices with far more neighbours than others come last of all.
///
/// The order depends on the graph and `leaf` alone, not on the number of threads. `parts`, where it
/// is asked for: ascending ranges of places of which no two have an edge between them, none of more
/// than a 64th of all, or than a leaf, without the separators that part them. Cost: for meshes
/// O(nonzeros log n).
std::vector<LocalIndex> nested_dissection(const Graph& graph, const DissectionOptions& options = {},
                                          std::vector<PlaceRange>* parts = nullptr);

}  // namespace spsolve::sparse
