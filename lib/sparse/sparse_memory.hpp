#pragma once

#include <memory>
#include <type_traits>

#include "sparse/elimination.hpp"
#include "sparse/ranks/team_fronts.hpp"

namespace spsolve::inline sparse {

/// Where the factors of a sparse elimination lie: makes eliminations in the memory of one kind of
/// device.
class SparseMemory {
 public:
  virtual ~SparseMemory() = default;

  virtual MemoryKind memory() const = 0;

  /// The values of `rows`, all those of `matrix`, with or without its stored zeros, to be scaled in
  /// this memory. Both must outlive what is made.
  virtual std::unique_ptr<ScaledValues> values_of(const Csr<double>& rows,
                                                  SystemMatrix& /*matrix*/) {
    return host_scaled_values(rows);
  }

  virtual std::unique_ptr<SparseElimination<float>> in_float(
      std::shared_ptr<const SparseAnalysis> analysis) = 0;
  virtual std::unique_ptr<SparseElimination<double>> in_double(
      std::shared_ptr<const SparseAnalysis> analysis) = 0;

  /// This rank's part of an elimination by all ranks of `team`; both must outlive it. Collective.
  virtual std::unique_ptr<TeamFronts<float>> in_float(Team& team, const TreePartition& tree) = 0;
  virtual std::unique_ptr<TeamFronts<double>> in_double(Team& team, const TreePartition& tree) = 0;

  template <typename T>
  std::unique_ptr<TeamFronts<T>> make_for_team(Team& team, const TreePartition& tree) {
    if constexpr (std::is_same_v<T, float>) {
      return in_float(team, tree);
    } else {
      return in_double(team, tree);
    }
  }

  template <typename T>
  std::unique_ptr<SparseElimination<T>> make(std::shared_ptr<const SparseAnalysis> analysis) {
    if constexpr (std::is_same_v<T, float>) {
      return in_float(std::move(analysis));
    } else {
      return in_double(std::move(analysis));
    }
  }
};

/// Eliminations by this process' threads.
SparseMemory& host_sparse_memory();

}  // namespace spsolve::sparse
