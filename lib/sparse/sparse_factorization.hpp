#pragma once

#include <memory>
#include <vector>

#include "solve/inverse.hpp"
#include "sparse/checkpoint/checkpointed_elimination.hpp"
#include "sparse/sparse_memory.hpp"
#include "sparse/team_elimination.hpp"
#include "sparse/threshold/threshold.hpp"
#include "team/lent_processors.hpp"

namespace spsolve::inline sparse {

/// The outcome of an elimination with threshold pivoting, on every rank.
struct ThresholdTold {
  PivotCounts counts;
  Index delayed = 0, factor_entries = 0;
  Index missing = 0;  ///< pivots
};

/// The factors of a sparse matrix whose analysis and values rank 0 has: held by all ranks, each its
/// own part; or by rank 0 as a team of one, which makes them with the processors of all ranks of
/// its host, or with its GPU.
template <typename T>
class SparseFactorization {
 public:
  SparseFactorization(Team& team, SparseMemory& memory, LentProcessors& lent, bool over_ranks);

  /// Ranks that hold the factors.
  int ranks() const { return spread_ ? team_.size() : 1; }

  /// An elimination by the analysis that rank 0 has begins, for vectors in these bands: looks for a
  /// checkpoint to go on from, where the run keeps any. Collective.
  void begin(const std::shared_ptr<const SparseAnalysis>& analysis, const RowLayout& bands,
             const EliminationRun& run);

  /// Why factors without threshold pivoting did not do, as the run before this one found, if it
  /// did. factor() then hands back their counts alone.
  FactorFailure known_failure() const;

  /// Lets go of the stacks of fronts, as what comes takes memory itself.
  void release_stacks() {
    if (elimination_ != nullptr) elimination_->made().release_stacks();
  }

  /// Eliminates with the values that rank 0 has (others pass null) of the analysis that began. The
  /// counts on every rank. `raises`: too small pivots are made as large as the largest value, where
  /// they can be listed. Collective.
  PivotCounts factor(Factorization kind, ScaledValues* values, const EliminationRun& run,
                     bool raises = false);
  /// The list of those by rows of A, of a rank alone; empty where there are too many.
  std::vector<RaisedPivot> raised_pivots() const;

  /// Eliminates with threshold pivoting, by rank 0, as factor() did not do for the reason that
  /// `failure` tells. Where pivots are missing there are no factors to solve with. Collective.
  ThresholdTold factor_with_threshold(Factorization kind, ScaledValues* values,
                                      const EliminationRun& run, const FactorFailure& failure);

  /// What that found, on rank 0; null elsewhere.
  const ThresholdOutcome* threshold_outcome() const {
    return team_.rank() == 0 ? elimination_->made().threshold_outcome() : nullptr;
  }

  /// Gathers values as TeamFronts::gather_values() does, for factors that all ranks hold; those of
  /// rank 0 alone gather nothing. Collective.
  bool gather_values(SystemMatrix& matrix, ScaledValues* whole) {
    return spread_ && elimination_ != nullptr && elimination_->made().gather_values(matrix, whole);
  }

  /// Bytes of factors that rank 0's GPU has in host memory; on rank 0.
  std::int64_t host_bytes() const {
    return elimination_ != nullptr ? elimination_->made().host_bytes() : 0;
  }

  /// The regimes in which rank 0's GPU takes the fronts, if it eliminates alone; on rank 0.
  std::optional<KernelStatistics> kernel_statistics() const {
    return elimination_ != nullptr ? elimination_->made().kernel_statistics() : std::nullopt;
  }

  /// From now on solves are of a real form whose rows of imaginary parts have the opposite sign,
  /// or of one whose have not; see conjugate_rows().
  void set_conjugates(bool conjugates) { conjugates_ = conjugates; }

  /// y <- F^-1 x or F^-T x; of complex factors of those of the real form. Collective.
  void solve(bool transposed, const Vectors& x, Vectors& y);

  /// Whether substitute() does the parts of a solve: of factors that a rank alone has on its host,
  /// of a matrix that is one block.
  bool has_substitutions() const {
    return team_.size() == 1 && elimination_ != nullptr && elimination_->made().has_substitutions();
  }

  /// y <- one part of F^-1 x or F^-T x: forward, diagonal and backward in turn make the whole.
  void substitute(Substitution step, bool transposed, const Vectors& x, Vectors& y);

 private:
  TeamElimination<T>& deal(const EliminationStage& stage);
  const std::optional<EliminationStage>& found() const;
  std::optional<PivotCounts> known_counts(Factorization kind) const;
  PivotCounts eliminate(const EliminationStage& stage, ScaledValues* values,
                        const EliminationRun& run);
  bool wants_threads() const;
  void solve_unsigned(bool transposed, const Vectors& x, Vectors& y);
  void refuse_more_than_there_is(Factorization kind) const;

  Team& team_;
  SoloTeam alone_;  // rank 0, where it eliminates by itself
  SparseMemory& memory_;
  LentProcessors& lent_;
  bool over_ranks_;
  std::shared_ptr<const SparseAnalysis> analysis_;  // on rank 0
  RowLayout bands_;
  std::unique_ptr<TeamElimination<T>> elimination_;  // of all ranks; or of rank 0, null elsewhere
  bool spread_ = false;                              // it is of all ranks
  bool raises_ = false;                              // too small pivots
  bool by_threads_ = true;  // this process' threads eliminate and solve, not a GPU
  std::optional<CheckpointedElimination> checkpointed_;  // of the elimination that began last
  Factorization kind_ = Factorization::lu;  // of its factors without threshold pivoting
  PivotCounts counts_;                      // of those
  bool conjugates_ = false;
};

/// The factors alone, without what makes up for small pivots.
template <typename T>
class UnrefinedInverse final : public LinearOperator {
 public:
  explicit UnrefinedInverse(SparseFactorization<T>& factors) : factors_(factors) {}
  void apply(const Vectors& x, Vectors& y) override { factors_.solve(false, x, y); }
  void apply_transposed(const Vectors& x, Vectors& y) override { factors_.solve(true, x, y); }

 private:
  SparseFactorization<T>& factors_;
};

/// One of the substitutions of the factors.
template <typename T>
class FactorSubstitution final : public LinearOperator {
 public:
  explicit FactorSubstitution(SparseFactorization<T>& factors) : factors_(factors) {}
  FactorSubstitution& of(Substitution step) {
    step_ = step;
    return *this;
  }
  void apply(const Vectors& x, Vectors& y) override { factors_.substitute(step_, false, x, y); }
  void apply_transposed(const Vectors& x, Vectors& y) override {
    factors_.substitute(step_, true, x, y);
  }

 private:
  SparseFactorization<T>& factors_;
  Substitution step_ = Substitution::forward;
};

}  // namespace spsolve::sparse
