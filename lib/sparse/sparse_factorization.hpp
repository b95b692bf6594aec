#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "solve/inverse.hpp"
#include "sparse/checkpoint/checkpointed_elimination.hpp"
#include "sparse/checkpoint/checkpointed_team_elimination.hpp"
#include "sparse/sparse_memory.hpp"
#include "sparse/team_elimination.hpp"
#include "team/lent_processors.hpp"

namespace spsolve::inline sparse {

/// The outcome of an elimination with threshold pivoting, on every rank.
struct ThresholdTold {
  PivotCounts counts;
  Index delayed = 0, factor_entries = 0;
  Index missing = 0;  ///< pivots
};

/// The factors of a sparse matrix whose analysis and values rank 0 has: held by rank 0, which makes
/// them with the processors of all ranks of its host, or with its GPU; or by all ranks, each its
/// own part.
template <typename T>
class SparseFactorization {
 public:
  SparseFactorization(Team& team, SparseMemory& memory, LentProcessors& lent, bool over_ranks);

  /// Ranks that hold the factors.
  int ranks() const { return shared_ != nullptr ? team_.size() : 1; }

  /// An elimination by the analysis that rank 0 has begins, for vectors in these bands: looks for a
  /// checkpoint to go on from, where the run keeps any. Collective.
  void begin(const std::shared_ptr<const SparseAnalysis>& analysis, const RowLayout& bands,
             const EliminationRun& run);

  /// Why factors without threshold pivoting did not do, as the run before this one found, if it
  /// did. factor() then hands back their counts alone.
  FactorFailure known_failure() const;

  /// Lets go of the stacks of fronts, as what comes takes memory itself.
  void release_stacks() {
    if (elimination_ != nullptr) elimination_->release_stacks();
  }

  /// Eliminates by the analysis that rank 0 has (others pass null), for vectors in these bands. The
  /// counts on every rank. Collective.
  PivotCounts factor(const std::shared_ptr<const SparseAnalysis>& analysis, const RowLayout& bands,
                     Factorization kind, ScaledValues* values, const EliminationRun& run);

  /// Eliminates with threshold pivoting, by rank 0, as factor() did not do for the reason that
  /// `failure` tells. `refuse` is called there with what was found where pivots are missing, and
  /// throws. Collective.
  ThresholdTold factor_with_threshold(const std::shared_ptr<const SparseAnalysis>& analysis,
                                      Factorization kind, ScaledValues* values,
                                      const EliminationRun& run, const FactorFailure& failure,
                                      const std::function<void(const ThresholdOutcome&)>& refuse);

  /// Gathers values as TeamFronts::gather_values() does, for factors that all ranks hold; those of
  /// rank 0 alone gather nothing. Collective.
  bool gather_values(SystemMatrix& matrix, ScaledValues* whole) {
    return shared_ != nullptr && shared_->gather_values(matrix, whole);
  }

  /// Bytes of factors that rank 0's GPU has in host memory; on rank 0.
  std::int64_t host_bytes() const {
    return elimination_ != nullptr ? elimination_->host_bytes() : 0;
  }

  /// The regimes in which rank 0's GPU takes the fronts, if it eliminates alone; on rank 0.
  std::optional<KernelStatistics> kernel_statistics() const {
    return elimination_ != nullptr ? elimination_->kernel_statistics() : std::nullopt;
  }

  /// y <- F^-1 x or F^-T x. Collective.
  void solve(bool transposed, const Vectors& x, Vectors& y);

 private:
  void take(const std::shared_ptr<const SparseAnalysis>& analysis);
  bool wants_threads() const;
  void deal(const RowLayout& bands, Factorization kind);
  const std::optional<EliminationStage>& found() const;
  std::optional<PivotCounts> known_counts(Factorization kind) const;
  PivotCounts factor_alone(Factorization kind, ScaledValues& values, const EliminationRun& run);
  Advance begin_stage(const EliminationStage& stage, const EliminationRun& run);
  void refuse_more_than_there_is(Factorization kind) const;

  Team& team_;
  SparseMemory& memory_;
  LentProcessors& lent_;
  bool over_ranks_;
  bool by_threads_ = true;  // this process' threads eliminate and solve, not a GPU
  std::shared_ptr<const SparseAnalysis> analysis_;       // on rank 0
  std::unique_ptr<SparseElimination<T>> elimination_;    // on rank 0
  std::unique_ptr<TeamElimination<T>> shared_;           // on all ranks
  std::shared_ptr<const SparseAnalysis> dealt_;          // on rank 0, that of shared_
  std::optional<CheckpointedElimination> checkpointed_;  // of the elimination that began last, by
  std::optional<CheckpointedTeamElimination> checkpointed_in_team_;  // rank 0, or by all
  Factorization kind_ = Factorization::lu;  // of its factors without threshold pivoting
  PivotCounts counts_;                      // of those
};

}  // namespace spsolve::sparse
