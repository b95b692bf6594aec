#pragma once

#include <vector>

#include "distribute/halo/halo_plan.hpp"
#include "distribute/layout/row_layout.hpp"
#include "matrix/dense.hpp"
#include "team/team.hpp"

namespace spsolve::inline distribute {

/// Carries the rows of an n x K multivector between a team's bands and lists of rows, one list a
/// rank, in any order: no rank ever holds more than its band, its list, and as many rows again on
/// their way. Made once for every K and every type.
class RowExchange {
 public:
  /// For the bands of the contiguous layout `bands` and the global rows `listed` that this rank
  /// wants, none of them twice. An all-gather of `ranks` numbers, and a message to each rank that
  /// something is wanted of. Throws as make_halo_plan(). Collective.
  RowExchange(Team& team, const RowLayout& bands, const std::vector<Index>& listed);

  /// listed(i, :) <- x(row i of the list, :), from `band`, this rank's rows of x. A message each
  /// way with each rank that has rows of the other one's list. Collective.
  template <typename T>
  Dense<T> to_list(const Dense<T>& band) const;

  /// The other way: x(row i of the list, :) <- listed(i, :); hands back this rank's band of x. Each
  /// row is to be in one rank's list. Collective.
  template <typename T>
  Dense<T> to_bands(const Dense<T>& listed) const;

  struct Pair {
    Index in_list, in_band;
  };

  // For those who carry rows of other memories themselves:
  /// Rows of the own band that go to others' lists, and rows that come, by the ranks.
  const HaloPlan& wanted() const { return wanted_; }
  /// Where in the list the rows belong that come, in the order of their coming.
  const std::vector<Index>& places() const { return places_; }
  /// Listed rows of the own band.
  const std::vector<Pair>& own() const { return own_; }

 private:
  Team* team_;
  HaloPlan wanted_;  // listed rows of other ranks come from their bands
  HaloPlan given_;   // the same messages the other way
  Index list_size_ = 0;
  std::vector<Index> places_;  // in the list, of the rows that come, in the order of their coming
  std::vector<Pair> own_;      // listed rows of the own band
};

}  // namespace spsolve::distribute
