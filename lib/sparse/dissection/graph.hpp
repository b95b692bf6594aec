#pragma once

#include <span>
#include <vector>

#include "core/types.hpp"
#include "core/untouched_vector.hpp"
#include "matrix/csr.hpp"

namespace spsolve::inline sparse {

/// The undirected graph of a symmetric pattern: vertex v has the neighbours
/// neighbours[starts[v]] ... neighbours[starts[v + 1] - 1], ascending, without v itself; each edge
/// is there from both of its ends. A vertex stands for weights[v] unknowns that have the same
/// neighbours, or for one where weights is empty.
struct Graph {
  std::vector<Index> starts{0};  ///< vertices + 1
  UntouchedVector<LocalIndex> neighbours;
  std::vector<LocalIndex> weights;

  LocalIndex size() const { return static_cast<LocalIndex>(starts.size() - 1); }
  std::span<const LocalIndex> of(LocalIndex v) const {
    return {neighbours.data() + starts[v], neighbours.data() + starts[v + 1]};
  }
  LocalIndex weight(LocalIndex v) const { return weights.empty() ? 1 : weights[v]; }
};

/// The graph of A + A^T for a square pattern A with ascending columns in its rows; values are not
/// looked at. `row_of`: where it isn't empty, row i of the pattern is row row_of[i] of A.
/// Cost: two passes over the pattern, by all threads.
Graph graph_of(const std::vector<Index>& row_offsets, const std::vector<LocalIndex>& columns,
               std::span<const LocalIndex> row_of = {});

/// The graph of a symmetric pattern, half as costly.
Graph graph_of_symmetric(const std::vector<Index>& row_offsets,
                         const std::vector<LocalIndex>& columns);

/// A graph by places in an order: place k stands for the vertex order[k], and has the places of its
/// neighbours, which do not ascend here. A walk along an order finds vertices side by side that are
/// far apart in the graph.
struct PlacedGraph : Graph {};

/// Cost: one pass over the graph, in the order's order, by all threads.
PlacedGraph placed(const Graph& graph, const std::vector<LocalIndex>& order);

/// Places first ... end - 1 of an order.
struct PlaceRange {
  LocalIndex first, end;
};

/// Calls visit(k) for the places of `count` that are in none of some ascending ranges, and
/// pass(r) where range r lies between them, in order.
template <typename Visit, typename Pass>
void walk_around(const std::vector<PlaceRange>& ranges, LocalIndex count, const Visit& visit,
                 const Pass& pass) {
  LocalIndex k = 0;
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    while (k < ranges[r].first) visit(k++);
    pass(r);
    k = ranges[r].end;
  }
  while (k < count) visit(k++);
}

/// Vertices that have the same neighbours, themselves included, as one: the graph with a vertex for
/// each such set, whose weight is the number of its unknowns, and what stands for which: vertex g
/// of it stands for members[firsts[g]] ... members[firsts[g + 1] - 1], ascending (Ashcraft 1995).
struct CompressedGraph {
  Graph graph;
  std::vector<LocalIndex> firsts;  ///< vertices of `graph` + 1
  std::vector<LocalIndex> members;
  /// Of each unknown the one that it is to stay together with, next to it in `members`, or itself;
  /// empty where none is.
  std::vector<LocalIndex> mate;
};

/// Cost: a hash of every neighbourhood, and comparisons of those with equal hashes.
CompressedGraph compress(Graph graph);

/// Likewise, where unknown v is to stay together with mate[v], or is alone if that is v: these are
/// one before others are looked for (Duff and Pralet 2005). Cost: two passes over the graph more.
CompressedGraph compress_pairs(const Graph& graph, std::vector<LocalIndex> mate);

/// The graph as it is, each of its vertices, which must have no weights, for itself: for an order
/// that may part unknowns with the same neighbours.
CompressedGraph uncompressed(Graph graph);

}  // namespace spsolve::sparse
