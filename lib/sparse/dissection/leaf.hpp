#pragma once

#include <span>

#include "sparse/dissection/arena.hpp"
#include "sparse/dissection/graph.hpp"
#include "sparse/dissection/part.hpp"

namespace spsolve::inline sparse::dissection {

/// The surroundings of a part: the neighbours in `graph` of its vertices, which are called
/// labels[v] there, whose rank is not negative. Distinct vertices have distinct ranks.
struct Halo {
  const Graph& graph;
  const LocalIndex* labels;
  const LocalIndex* ranks;
};

/// order[k] = the vertex of the part that approximate minimum degree (Amestoy, Davis and Duff 1996)
/// eliminates k-th, where the vertices of the halo count in the degrees and come after the part
/// (Pellegrini, Roman and Amestoy 2000). Weights are not looked at.
void order_by_degree(const GraphPart& part, const Halo& halo, Arena& arena,
                     std::span<LocalIndex> order);

}  // namespace spsolve::sparse::dissection
