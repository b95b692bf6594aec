#pragma once

#include <cstdint>
#include <span>

#include "sparse/dissection/part.hpp"
#include "sparse/dissection/workspaces.hpp"

namespace spsolve::inline sparse::dissection {

/// A separator of small weight between two parts of about the same weight: side[v] for each vertex.
/// A part may come out empty where the graph has no such separator. `seed`: of the random choices
/// here. For graphs of many vertices several are tried, and passes over all vertices are shared, as
/// tasks of the team that calls. Cost: O(size + edges) where the graph coarsens well.
void bisect(const GraphPart& graph, std::uint64_t seed, Workspaces& workspaces,
            std::span<std::uint8_t> side);

}  // namespace spsolve::sparse::dissection
