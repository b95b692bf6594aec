#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "distribute/row_exchange.hpp"
#include "sparse/ranks/team_fronts.hpp"
#include "sparse/sparse_memory.hpp"
#include "vectors/multivector/vectors.hpp"

namespace spsolve::inline sparse {

/// Sparse elimination by all ranks of a team: rank 0 has the analysis and hands out the matrix'
/// values; factors and vectors are spread over ranks.
template <typename T>
class TeamElimination {
 public:
  /// Deals out the fronts of the analysis that rank 0 has (others pass null), whose matrix is one
  /// block; `bands`: the layout of vectors. A message from rank 0 to each rank, of its part. Throws
  /// std::bad_alloc as Error on every rank. Collective.
  TeamElimination(Team& team, SparseMemory& memory, const SparseAnalysis* analysis,
                  Factorization kind, const RowLayout& bands)
      : TeamElimination(team, memory, analysis, kind, bands,
                        SharingRule::of(kind, memory.memory())) {}

  /// Deals out the fronts, shared by this rule.
  TeamElimination(Team& team, SparseMemory& memory, const SparseAnalysis* analysis,
                  Factorization kind, const RowLayout& bands, const SharingRule& rule);

  Factorization kind() const { return tree_.kind; }
  /// This rank's part.
  const TreePartition& tree() const { return tree_; }
  /// Flops of this rank's part.
  double flops() const { return flops_; }
  LocalIndex fronts() const { return fronts_; }

  /// TeamFronts::checkpoint_by().
  void checkpoint_by(TeamCheckpointer* checkpointer) { made_->checkpoint_by(checkpointer); }

  /// Factors the matrix with the values that rank 0 has, as HostSparseElimination::factor() does;
  /// `advance` is called with the flops of this rank's pieces of work. Collective.
  PivotCounts factor(const std::vector<double>& values, const PivotRule& rule,
                     const std::function<void(double)>& advance = {});

  /// Factors the matrix with values that may lie in the memory of the device; other ranks pass
  /// null.
  PivotCounts factor(ScaledValues* values, const PivotRule& rule,
                     const std::function<void(double)>& advance);

  /// Gathers values, see TeamFronts::gather_values(). Collective.
  bool gather_values(SystemMatrix& matrix, ScaledValues* whole) {
    return made_->gather_values(matrix, whole);
  }

  /// x <- A^-1 b or A^-T b, in bands. Two messages each way with each rank of the rows that change
  /// ranks, and those of TeamFronts. Collective.
  void solve(bool transposed, const Vectors& b, Vectors& x);

 private:
  Team& team_;
  TreePartition tree_;
  ValueDealer dealer_;
  std::shared_ptr<const RowExchange> rows_, columns_;  // one, where rows stay with columns
  double flops_ = 0;
  LocalIndex fronts_ = 0;
  std::unique_ptr<TeamFronts<T>> made_;
};

}  // namespace spsolve::sparse
