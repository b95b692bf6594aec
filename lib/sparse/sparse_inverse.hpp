#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "solve/gmres_inverse.hpp"
#include "solve/inverse.hpp"
#include "solve/operators/equilibrate.hpp"
#include "solve/trust/probe.hpp"
#include "sparse/corrected_inverse.hpp"
#include "sparse/elimination_costs.hpp"
#include "sparse/gathered_matrix.hpp"
#include "sparse/matched_order.hpp"
#include "sparse/sparse_factorization.hpp"

namespace spsolve::inline sparse {

/// (R A C)^-1 by sparse elimination with factors in T: on rank 0, with the processors of all ranks
/// of its host, while the other ranks hold their rows of vectors; or on all ranks, where rank 0 has
/// the analysis and the values. The chain of SparseInverse::eliminate():
///
/// 1. L L^T, which proves A positive definite; else, where it may, L D L^T;
/// 2. L D L^T or P L U with pivots from each front's own rows, too small ones made larger;
/// 3. where multipliers grew, a trial of the factors alone, by the first right-hand side, now or
///    when it comes; where that leaves too large a backward error, or pivots were made larger:
///    GMRES on these factors for every solve (Li and Demmel 1998), if it converges for a first one,
///    and finds a known solution, in few steps where another elimination is soon done;
///    On a GPU, where few pivots of L D L^T are too small, they are made as large as the largest
///    entry instead, and solutions corrected for that, see CorrectedInverse;
/// 4. L D L^T again, in an order in which matched rows stay together, and from step 2 on once more:
///    where that is predicted to be done before step 5, or where values before came to GMRES;
/// 5. elimination again with threshold pivoting, pivots that fail passed on to the parent
///    (see threshold.hpp); on rank 0; GMRES on its factors where these alone find no known
///    solution;
/// 6. refusal, with the rank that was found.
template <typename T>
class SparseInverse final : public Inverse {
 public:
  /// `analysis` is used where the matrix has its pattern; may be null.
  SparseInverse(Team& team, SparseMemory& memory, const SparseChoice& choice,
                std::shared_ptr<const SparseAnalysis> analysis);

  void find_scaling(SystemMatrix& matrix, AutoSwitch wanted, Precision precision,
                    Equilibration& scaling) override;
  void prepare(SystemMatrix& matrix, const Equilibration& scaling) override;
  std::unique_ptr<Vectors> eliminate(const EliminationRun& run) override;
  void apply(const Vectors& x, Vectors& y) override;
  void apply_transposed(const Vectors& x, Vectors& y) override;
  void expect(SolvePurpose purpose) override {
    if (iterates()) gmres_->expect(purpose);
  }
  bool iterates() const override { return state_ == State::by_gmres; }
  std::vector<double> correction_residuals() const override {
    return iterates() ? gmres_->correction_residuals() : std::vector<double>{};
  }
  const InverseFacts& facts() const override { return facts_; }
  LinearOperator* factors_alone() override;
  LinearOperator* substitution(Substitution step) override {
    if (state_ == State::unvalidated) validate_first();
    // S R A C S is another matrix, and so is one with raised pivots.
    const bool whole = state_ == State::by_factors && !rescaled_ && !corrected_;
    const bool there = whole && factors_.has_substitutions();
    return there ? &substitution_.of(step) : nullptr;
  }
  bool eliminate_exactly() override {
    exact_ = true;
    const SparseOutcome& sparse = *facts_.sparse;
    const Index larger = sparse.corrected_pivots + (iterates() ? sparse.perturbed_pivots : 0);
    if (larger == 0) return false;
    std::erase(facts_.notes, note_on_gmres_);
    FactorFailure failure = factors_.known_failure();
    failure.words = fmt::format("{} pivots were made larger", larger);
    Progress silent("eliminating", 1, Progress::Show::off);
    ensure_valid_factors({silent, nullptr, nullptr, nullptr}, std::move(failure));
    return true;
  }

 private:
  /// prepare() leads to `prepared`, eliminate() to one that solves; the first solve with factors
  /// that are `unvalidated` leads on from there. Where either fails, or threshold pivoting takes
  /// the place of factors that do not do, it is `prepared` until other factors solve.
  enum class State {
    empty,        ///< no values: refuses to eliminate, and to solve
    prepared,     ///< no factors of the values: refuses to solve
    unvalidated,  ///< factors whose multipliers grew, to be tried out by the first solve
    by_factors,   ///< factors solve alone
    by_gmres,     ///< GMRES on factors solves
  };

  /// The factors without threshold pivoting; whether a pivot overflowed.
  bool factor(const EliminationRun& run);
  void factor_with_threshold(const EliminationRun& run, const FactorFailure& failure);
  /// Of the factors that there are.
  EliminationCosts costs() const;
  /// L D L^T, or L D L^H of a Hermitian matrix.
  Factorization indefinite() const {
    return is_complex<T> && !conjugates_ ? Factorization::ldlh : Factorization::ldlt;
  }
  /// The negative eigenvalues that L L^H and D tell of, of a real form each twice; nothing, where
  /// they are not real.
  std::optional<Index> negative_of(Factorization kind, const PivotCounts& counts) const;
  bool has_failed_soon() const;
  /// Looks for it by the factors as they are, or by GMRES on them where that is how they solve.
  Probe look_for_known_solution();
  /// Whether factors found a known solution well enough: in one step, where others are soon made.
  bool finds(const Probe& probe) const;
  /// `gmres_steps`: of a first solution by the factors that there are; 0 where they fail.
  bool may_match(Index perturbed, const EliminationRun& run) const;
  MatchedOrderLimit limit_of_matched(int gmres_steps) const {
    return {costs(), sizeof(T), lent_.threads(), gmres_steps};
  }
  void take_order(bool taken);
  std::unique_ptr<Vectors> eliminate_matched(const EliminationRun& run, FactorFailure& failure);
  /// (R A C)^-1 by the factors as they are.
  LinearOperator& by_factors() {
    if (corrected_) return *corrected_;
    return rescaled_ ? static_cast<LinearOperator&>(*rescaled_) : unrefined_;
  }
  /// Whether solutions may be corrected for so many pivots that are made large.
  bool may_correct(Index pivots, const EliminationRun& run) const;
  /// Sees to it, after factor(), that they are, where they may; where they can't, the factors are
  /// those without. Whether a pivot overflowed in these.
  bool correct_few_pivots(const EliminationRun& run);
  void forget_correction() {
    if (corrected_) gmres_.reset();  // which solves by it
    corrected_.reset();
  }
  /// Leads to the state in which the factors do, by themselves or with GMRES; if there is none,
  /// `failure` says why. Hands back what was solved for run.first on the way.
  std::unique_ptr<Vectors> validate_factors(const EliminationRun& run, FactorFailure& failure);
  /// validate_factors(), unless it is known that they fail, and what is done where they do.
  std::unique_ptr<Vectors> ensure_valid_factors(const EliminationRun& run, FactorFailure failure);
  /// Leads on from `unvalidated`, without a right-hand side.
  void validate_first() {
    Progress silent("eliminating", 1, Progress::Show::off);
    ensure_valid_factors({silent, nullptr, nullptr, nullptr}, factors_.known_failure());
  }
  /// Leads on from `unvalidated`, by y <- A^-1 x.
  void apply_first(const Vectors& x, Vectors& y);
  /// y <- (R A C)^-1 x, or of the transposed matrix, as the state says.
  void solve(bool transposed, const Vectors& x, Vectors& y);
  GmresInverse& gmres();

  Team& team_;
  SparseMemory& memory_;
  SparseChoice choice_;
  bool conjugates_ = false;  // see GatheredMatrix::conjugates()
  Factorization kind_;       // what is tried first: L D L^T once L L^T has failed
  std::shared_ptr<const SparseAnalysis> leveled_;  // which levels_ is of
  FrontLevels levels_;
  SystemMatrix* matrix_ = nullptr;
  const Equilibration* scaling_ = nullptr;
  LentProcessors lent_;
  GatheredMatrix gathered_;
  SparseFactorization<T> factors_;
  UnrefinedInverse<T> unrefined_;
  FactorSubstitution<T> substitution_;
  MatchedOrder matched_;
  std::optional<ScaledOperator> rescaled_;  // where these are factors of S R A C S
  std::optional<CorrectedInverse> corrected_;
  bool raises_ = false;                // factor() makes small pivots large
  std::optional<GmresInverse> gmres_;  // on by_factors(), where it was asked for
  State state_ = State::empty;
  bool gmres_failed_ = false;  // on restricted pivots, for these values or some before
  bool exact_ = false;         // see eliminate_exactly()
  std::string note_on_gmres_;  // of the last factors that it solved by
  double largest_multiplier_ = 0;
  InverseFacts facts_;
  std::shared_ptr<StepWatch> watch_;  // of steps, since it last eliminated
};

}  // namespace spsolve::sparse
