#pragma once

#include <cstdint>
#include <vector>

#include "core/types.hpp"
#include "sparse/fronts/factorization.hpp"
#include "sparse/fronts/fronts.hpp"

namespace spsolve::inline sparse {

struct FrontLayout;

/// One element of a front, to which `sources` number begin ... end - 1 of ElementwiseAssembly are
/// added.
struct AssembledElement {
  Index place;  ///< in the arena; of a small front in its square of small_front_stride()
  Index begin, end;
};

/// Children with a small border are assembled element by element where a front has many of them, as
/// the hubs of circuits and networks have: a sum over all of them for each element of the front,
/// not hundreds of steps one after another.
struct ElementwiseAssembly {
  /// The children of each front as its place has them, first those that are assembled one by one.
  std::vector<LocalIndex> children;
  std::vector<AssembledElement> elements;  ///< front by front
  std::vector<Index> sources;              ///< in the arena
};

/// The lists for fronts that lie in these places, which are told which of them are theirs: those of
/// a level's large fronts follow each other. Cost: linear in the contribution blocks of the small
/// children, times the logarithm of that of one front.
ElementwiseAssembly list_elementwise_assembly(const Fronts& fronts, Factorization kind,
                                              const std::vector<LocalIndex>& by_level,
                                              const std::vector<Index>& level_starts,
                                              std::vector<FrontLayout>& layouts);

/// Bytes that the lists take at most.
std::int64_t elementwise_assembly_bytes(const Fronts& fronts);

}  // namespace spsolve::sparse
