#pragma once

#include <vector>

#include "core/types.hpp"
#include "sparse/fronts/fronts.hpp"

namespace spsolve::inline sparse {

/// Ranks first ... first + count - 1 of a team.
struct RankRange {
  int first = 0;
  int count = 1;

  bool holds(int rank) const { return first <= rank && rank < first + count; }
  bool operator==(const RankRange&) const = default;
};

/// The ranks that `rank` works with at a depth of the halving: all `ranks` at depth 0, then the
/// half that it is in, the first half being the smaller one where they differ.
RankRange range_at(int ranks, int rank, int depth);

/// Which ranks eliminate each front of a forest.
struct ProportionalMapping {
  int ranks = 1;
  std::vector<RankRange> of;  ///< of each front; one rank's own where count is 1
  std::vector<int> depth;     ///< of each front: of == range_at(ranks, of.first, depth)

  bool shared(LocalIndex s) const { return of[s].count > 1; }

  /// The shared fronts in the order in which all ranks take them: those of small teams first, so
  /// that none waits for a larger team while it has such work, and children before parents.
  std::vector<LocalIndex> shared_order() const;
};

/// Deals the fronts out to ranks by halves (proportional mapping: Pothen and Sun 1993; which
/// subtrees are cut: Geist and Ng 1989): the ranks of a range share fronts from the top on, until
/// what is below can be dealt to their two halves so that the predicted time is least, and so on in
/// each half. Below a front that one rank has, all are that rank's; those of a subtree on ranks r
/// ... s are on ranks within. `work`: nanoseconds of each front on one rank; `shared_costs`: those
/// of a shared front in addition to its share of that. Cost: linear in the fronts for each level of
/// halves, and some hundred sorts of what is dealt out.
ProportionalMapping assign_fronts(const Fronts& fronts, const std::vector<double>& work,
                                  double shared_costs, int ranks);

}  // namespace spsolve::sparse
