#include "sparse/sparse_memory.hpp"

namespace spsolve::inline sparse {

namespace {

template <typename T>
class HostEliminations final : public EliminationsOf<T> {
 public:
  std::unique_ptr<TeamFronts<T>> make(Team& team, const TreePartition& tree) override {
    return host_team_fronts<T>(team, tree);
  }
};

template <typename T>
class ThresholdEliminations final : public EliminationsOf<T> {
 public:
  std::unique_ptr<TeamFronts<T>> make(Team&, const TreePartition& tree) override {
    return threshold_fronts<T>(tree);
  }
};

template <template <typename> class Eliminations>
class HostSparseMemory final : public SparseMemory {
 public:
  MemoryKind memory() const override { return MemoryKind::host; }
  PerScalar per_scalar() override { return pointers_to(eliminations_); }

 private:
  FactorScalars::Tuple<Eliminations> eliminations_;
};

}  // namespace

SparseMemory& host_sparse_memory() {
  static HostSparseMemory<HostEliminations> memory;
  return memory;
}

SparseMemory& threshold_sparse_memory() {
  static HostSparseMemory<ThresholdEliminations> memory;
  return memory;
}

}  // namespace spsolve::sparse
