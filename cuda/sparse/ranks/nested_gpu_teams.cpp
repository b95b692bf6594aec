#include "cuda/sparse/ranks/nested_gpu_teams.hpp"

#include <algorithm>

namespace spsolve::cuda {

NestedGpuTeams::NestedGpuTeams(std::unique_ptr<GpuTeam> team, const RankTree& tree,
                               const Stream& other) {
  teams_.push_back(std::move(team));
  int deepest = 0;
  for (const LocalIndex depth : tree.depth) deepest = std::max<int>(deepest, depth);
  for (int depth = 1; depth <= deepest; ++depth) {
    const RankRange before = range_at(tree.ranks, tree.rank, depth - 1);
    if (before.count == 1) break;
    const RankRange here = range_at(tree.ranks, tree.rank, depth);
    teams_.push_back(teams_.back()->split_gpus(here.first == before.first ? 0 : 1, 0));
  }
  for (const std::unique_ptr<GpuTeam>& of : teams_) others_.push_back(of->on(other));
}

}  // namespace spsolve::cuda
