#pragma once

#include <vector>

#include "sparse/ranks/tree_partition.hpp"

namespace spsolve::inline sparse {

/// Deals out values of the matrix that rank 0 has: each rank gets those of its entries, own before
/// shared; a rank alone all of them, where they are.
class ValueDealer {
 public:
  /// `parts`: numbers that a value is. `analysis` and the rule of `tree` are those of
  /// deal_analysis(). Rank 0 keeps a list of 8 bytes a value. Collective.
  ValueDealer(Team& team, const SparseAnalysis* analysis, const TreePartition& tree,
              Index parts = 1);

  /// This rank's of all `values`, in the order of its entries; they stay until the next call, of
  /// a rank alone as long as `values`. A message from rank 0 to each rank. Collective.
  const std::vector<double>& deal(const std::vector<double>& values);

  /// On rank 0: which of all values are that rank's.
  const std::vector<Index>& sources(int rank) const { return sources_[rank]; }

 private:
  Team& team_;
  Index parts_;
  std::vector<std::vector<Index>> sources_;  // on rank 0, of each rank
  std::vector<double> mine_, theirs_;
};

}  // namespace spsolve::sparse
