#pragma once

#include <cstdint>

#include "core/types.hpp"

namespace spsolve::inline sparse::dissection {

/// A part of a graph, or a coarser graph of one, in memory of somebody else: as Graph, but that
/// edges of coarser graphs have weights, the number of edges that they stand for.
struct GraphPart {
  LocalIndex size = 0;
  const Index* starts = nullptr;  ///< size + 1
  const LocalIndex* neighbours = nullptr;
  const LocalIndex* edge_weights = nullptr;  ///< as neighbours; nullptr: all are 1
  const LocalIndex* weights = nullptr;       ///< of vertices
  Index weight = 0;                          ///< of all vertices

  Index edges() const { return starts[size] - starts[0]; }
};

/// Where a vertex lies: in one of two parts without an edge between them, or in the separator.
enum VertexSide : std::uint8_t { left = 0, right = 1, separator = 2 };

}  // namespace spsolve::sparse::dissection
