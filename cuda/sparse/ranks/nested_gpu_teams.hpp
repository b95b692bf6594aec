#pragma once

#include <memory>
#include <vector>

#include "cuda/team/gpu_team.hpp"
#include "sparse/ranks/tree_partition.hpp"

namespace spsolve::cuda::inline sparse {

/// The teams of GPUs that a rank works with, one for each depth of the halving (range_at()), each
/// in order with two streams; messages of the two must not be on their way at the same time.
class NestedGpuTeams {
 public:
  /// Splits `team` as often as the tree wants it. Collective.
  NestedGpuTeams(std::unique_ptr<GpuTeam> team, const TreePartition& tree, const Stream& other);

  GpuTeam& at(int depth) { return *teams_[depth]; }
  GpuTeam& on_other(int depth) { return *others_[depth]; }

 private:
  std::vector<std::unique_ptr<GpuTeam>> teams_, others_;
};

}  // namespace spsolve::cuda::sparse
