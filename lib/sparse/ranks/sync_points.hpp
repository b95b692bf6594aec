#pragma once

#include <vector>

#include "sparse/ranks/tree_partition.hpp"
#include "team/team.hpp"

namespace spsolve::inline sparse {

/// How far ranks work between two sync points.
struct SyncRule {
  double flops = 2e10;  ///< of one rank; some seconds
  int least_rounds = 4, most_rounds = 1000;
};

/// The sync points at which all ranks of an elimination that they share meet, for instance to keep
/// it: points that each finds by itself, and all in the same order, so that none waits for one that
/// waits for it.
///
/// The work before the fronts that all ranks share - a rank's own fronts and those that it shares
/// with some - is cut into rounds, as many on each rank: sync point k is when a rank has done k of
/// them. The ranks of a shared front have been at as many sync points before it, the most that one
/// of them wants. Between fronts of all ranks, and between the panels of large ones, there is one
/// where enough was done.
class SyncPoints {
 public:
  /// A number of each rank travels to each. Collective.
  SyncPoints(Team& team, const TreePartition& tree, const SyncRule& rule);

  int rounds() const { return rounds_; }
  /// The number of the last sync point, after all fronts.
  int last() const { return last_; }
  /// The number of sync points before shared front s.
  int before(LocalIndex s) const { return before_[s]; }
  /// The number of sync points that this rank has come to after so many flops of its own fronts.
  int after(double own_flops) const;
  /// Whether there is one within a front of all ranks, before panel `panel` of it is used.
  bool within(LocalIndex s, Index panel) const;

  /// This rank's flops: all, and of a front; of the panels before one; between two sync points.
  double flops() const { return flops_; }
  double flops_of(LocalIndex s) const;
  double flops_before(LocalIndex s, Index panel) const;
  double flops_between(LocalIndex s) const;
  double flops_of_round() const { return flops_below_ / rounds_; }

 private:
  bool is_cut(LocalIndex s) const { return tree_.depth[s] == 0 && tree_.blocks(s).shares(); }
  int rounds_done(double flops, double all) const;

  const TreePartition& tree_;
  SyncRule rule_;
  int rounds_ = 1, last_ = 0;
  int after_own_ = 0;  // of this rank, after its own fronts
  double flops_ = 0, flops_below_ = 0;
  std::vector<int> before_;  // of each shared front
};

}  // namespace spsolve::sparse
