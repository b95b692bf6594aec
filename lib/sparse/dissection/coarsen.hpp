#pragma once

#include <span>

#include "sparse/dissection/arena.hpp"
#include "sparse/dissection/part.hpp"
#include "sparse/dissection/workspaces.hpp"

namespace spsolve::inline sparse::dissection {

/// A coarser graph: vertex v of the finer one has become part of vertex coarse_of[v].
struct Coarser {
  GraphPart graph;
  std::span<const LocalIndex> coarse_of;
};

/// Makes pairs of neighbours that many edges join one vertex (heavy-edge matching, Karypis and
/// Kumar 1998), unless it would weigh more than `heaviest`; what finds no partner among its
/// neighbours takes one that shares a neighbour with it. Vertices choose in their order, so that
/// the pairs of a mesh lie alike, and its coarser graphs stay sparse. The rows
/// of the coarser graph are shared by tasks. The result is in `arena`; `workspaces` lend what tasks
/// need. Cost: O(size + edges).
Coarser coarsen(const GraphPart& graph, Index heaviest, Workspaces& workspaces, Arena& arena);

}  // namespace spsolve::sparse::dissection
