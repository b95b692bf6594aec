#include "cuda/sparse/ranks/nested_gpu_teams.hpp"

namespace spsolve::cuda::inline sparse {

NestedGpuTeams::NestedGpuTeams(std::unique_ptr<GpuTeam> team, const TreePartition& tree,
                               const Stream& other) {
  teams_.push_back(std::move(team));
  for (const int group : tree.halves()) {
    teams_.push_back(teams_.back()->split_gpus(group, 0));
  }
  for (const std::unique_ptr<GpuTeam>& of : teams_) others_.push_back(of->on(other));
}

}  // namespace spsolve::cuda::sparse
