#include "sparse/sparse_memory.hpp"

#include "sparse/host_elimination.hpp"

namespace spsolve::inline sparse {

namespace {

template <typename T>
class HostEliminations final : public EliminationsOf<T> {
 public:
  std::unique_ptr<SparseElimination<T>> make(
      std::shared_ptr<const SparseAnalysis> analysis) override {
    return std::make_unique<HostSparseElimination<T>>(std::move(analysis));
  }
  std::unique_ptr<TeamFronts<T>> make(Team& team, const TreePartition& tree) override {
    return host_team_fronts<T>(team, tree);
  }
};

class HostSparseMemory final : public SparseMemory {
 public:
  MemoryKind memory() const override { return MemoryKind::host; }
  PerScalar per_scalar() override { return pointers_to(eliminations_); }

 private:
  Scalars::Tuple<HostEliminations> eliminations_;
};

}  // namespace

SparseMemory& host_sparse_memory() {
  static HostSparseMemory memory;
  return memory;
}

}  // namespace spsolve::sparse
