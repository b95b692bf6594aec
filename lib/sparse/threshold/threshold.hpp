#pragma once

#include <vector>

#include "sparse/fronts/factors.hpp"

namespace spsolve::inline sparse {

template <typename T>
class ThresholdFront;

/// The outcome of threshold pivoting.
struct ThresholdOutcome {
  PivotCounts counts;
  Index delayed = 0;  ///< pivots that fronts passed on to their parents, each time counted
  Index factor_entries = 0;
  std::vector<LocalIndex> rows,
      columns;  ///< without a pivot, ascending in the order of elimination

  void add(const ThresholdOutcome& other);
};

/// Multifrontal factors with threshold pivoting (Duff and Reid 1983, 1996): a pivot is taken where
/// it is at least u times the largest entry of its whole column, border included, or for L D L^T
/// where the multipliers of a 1 x 1 or 2 x 2 pivot stay below 1 / u; columns without one are
/// delayed: passed on to the parent, where more rows are fully summed. Fronts grow by what is
/// delayed to them, so that memory and time are not known beforehand.
///
/// Threads take subtrees side by side, and share the products inside of the fronts above. The same
/// bits for any number of them.
template <typename T>
class ThresholdFactors final : public CheckpointableFronts {
 public:
  /// u = 0.1 for LU, 0.01 for L D L^T. With a `checkpointer` it goes on from what that has. Throws
  /// std::bad_alloc.
  ThresholdFactors(const Fronts& fronts, const FrontEntries& entries, Factorization kind,
                   const std::vector<double>& values, int threads, const Advance& advance,
                   FrontCheckpointer* checkpointer);

  const ThresholdOutcome& outcome() const { return outcome_; }
  /// For FactorSolve; they lie in the object.
  std::vector<FactoredFront<T>> fronts() const;

  bool is_done(LocalIndex s) const override { return done_[s] != 0; }
  bool name(LocalIndex s, bool waits, SectionBytes& bytes) override;
  void release_contribution(LocalIndex s) override { contributions_[s] = {}; }
  bool name_totals(SectionBytes& bytes) override;
  std::int64_t bytes_of(LocalIndex s) const override;
  std::int64_t contribution_bytes(LocalIndex s) const override;

 private:
  /// The part of a front that is kept: its factors.
  struct FrontFactors {
    LocalIndex pivots = 0, border = 0;
    std::vector<T> lower, upper, off_diagonal;
    std::vector<LocalIndex> rows, columns;  // pivots, then border
  };
  /// The contribution block of a front: delayed rows and columns first, then its border.
  struct Contribution {
    std::vector<T> block;
    std::vector<LocalIndex> rows, columns;  // delayed ones
  };

  void eliminate(LocalIndex s, const FrontEntries& entries, const std::vector<double>& values,
                 const Tiles& tiles, ThresholdOutcome& outcome);
  void assemble(LocalIndex s, const FrontEntries& entries, const std::vector<double>& values,
                Index candidates, ThresholdFront<T>& work);
  Index keep_factors(LocalIndex s, Index candidates, ThresholdFront<T>& work);
  void pass_on(LocalIndex s, Index candidates, ThresholdFront<T>& work);
  ThresholdOutcome all() const;
  bool is_good(LocalIndex s) const;

  const Fronts& fronts_;
  Factorization kind_;
  double tiny_ = 0;  // pivots below it are delayed as long as there is a parent
  std::vector<FrontFactors> factors_;
  std::vector<Contribution> contributions_;
  std::vector<char> done_;                  // each front
  std::vector<ThresholdOutcome> outcomes_;  // of threads, and of what was taken back
  ThresholdOutcome outcome_;
};

}  // namespace spsolve::sparse
