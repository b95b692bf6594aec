#pragma once

#include <vector>

#include "sparse/dissection/graph.hpp"

namespace spsolve::inline sparse {

/// The number of entries in each column of L, the diagonal block and the weights of vertices
/// included, of a graph in a postorder of its elimination tree, `parent`. Source: Gilbert, Ng and
/// Peyton (1994). Subtrees are shared by threads: rows above one see of it which of its columns is
/// their last leaf. Cost: nearly linear in the edges; 12 bytes a vertex in addition to the result.
std::vector<Index> column_counts(const PlacedGraph& graph, const std::vector<LocalIndex>& parent);

}  // namespace spsolve::sparse
