#include "sparse/sparse_memory.hpp"

#include "sparse/host_elimination.hpp"

namespace spsolve::inline sparse {

namespace {

class HostSparseMemory final : public SparseMemory {
 public:
  MemoryKind memory() const override { return MemoryKind::host; }
  std::unique_ptr<SparseElimination<float>> in_float(
      std::shared_ptr<const SparseAnalysis> analysis) override {
    return std::make_unique<HostSparseElimination<float>>(std::move(analysis));
  }
  std::unique_ptr<SparseElimination<double>> in_double(
      std::shared_ptr<const SparseAnalysis> analysis) override {
    return std::make_unique<HostSparseElimination<double>>(std::move(analysis));
  }
  std::unique_ptr<TeamFronts<float>> in_float(Team& team, const TreePartition& tree) override {
    return host_team_fronts<float>(team, tree);
  }
  std::unique_ptr<TeamFronts<double>> in_double(Team& team, const TreePartition& tree) override {
    return host_team_fronts<double>(team, tree);
  }
};

}  // namespace

SparseMemory& host_sparse_memory() {
  static HostSparseMemory memory;
  return memory;
}

}  // namespace spsolve::sparse
