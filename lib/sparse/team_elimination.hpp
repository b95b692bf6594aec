#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "distribute/row_exchange.hpp"
#include "matrix/real_form.hpp"
#include "sparse/ranks/team_fronts.hpp"
#include "sparse/sparse_memory.hpp"
#include "vectors/multivector/vectors.hpp"

namespace spsolve::inline sparse {

/// Sparse elimination by all ranks of a team, which may be a rank alone: rank 0 has the analysis
/// and hands out the matrix' values; factors and vectors are spread over ranks.
template <typename T>
class TeamElimination {
 public:
  /// Deals out the fronts of the analysis that rank 0 has (others pass null), whose matrix is one
  /// block unless the team is a rank alone; `bands`: the layout of vectors, of a complex T those of
  /// the real form, whose pairs of rows stay together. A symmetric `kind` may
  /// be another one than that of the analysis. A message from rank 0 to each rank, of its part.
  /// Throws std::bad_alloc as Error on every rank. Collective.
  TeamElimination(Team& team, SparseMemory& memory, std::shared_ptr<const SparseAnalysis> analysis,
                  Factorization kind, const RowLayout& bands)
      : TeamElimination(team, memory, std::move(analysis), kind, bands,
                        SharingRule::of(kind, memory.memory())) {}

  /// Deals out the fronts, shared by this rule.
  TeamElimination(Team& team, SparseMemory& memory, std::shared_ptr<const SparseAnalysis> analysis,
                  Factorization kind, const RowLayout& bands, const SharingRule& rule);

  /// Whether it is one by this team, by these fronts: here, other ranks may have another one.
  bool is_of(const Team& team, const SparseMemory& memory, const SparseAnalysis* analysis,
             Factorization kind) const {
    return &team == &team_ && &memory == &memory_ && analysis == analysis_.get() &&
           kind == tree_.kind;
  }

  /// This rank's part.
  const TreePartition& tree() const { return tree_; }
  /// Flops of this rank's part.
  double flops() const { return flops_; }
  LocalIndex fronts() const { return fronts_; }
  /// The fronts, for what they tell of themselves.
  const TeamFronts<T>& made() const { return *made_; }
  TeamFronts<T>& made() { return *made_; }

  /// Factors the matrix with the values that rank 0 has, one for each entry of the matrix (two
  /// numbers for a complex one), of magnitudes up to about 1. Pivots that are too small are made
  /// larger and counted; a failure is told in the result. `advance` is called with the flops of
  /// this rank's pieces of work, by whichever thread did it. Collective.
  PivotCounts factor(const std::vector<double>& values, const PivotRule& rule,
                     const Advance& advance = {});

  /// Factors the matrix with values that may lie in the memory of the device; other ranks pass
  /// null.
  PivotCounts factor(ScaledValues* values, const PivotRule& rule, const Advance& advance);

  /// x <- A^-1 b or A^-H b, in bands, of a complex A those of its real form. Two messages each way
  /// with each rank of the rows that change ranks, and those of TeamFronts. Collective.
  void solve(bool transposed, const Vectors& b, Vectors& x);

 private:
  static constexpr Index parts = is_complex<T> ? complex_parts : 1;

  PivotRule of_kind(PivotRule rule) const {
    rule.hermitian = is_hermitian(tree_.kind);
    return rule;
  }

  Team& team_;
  const SparseMemory& memory_;
  std::shared_ptr<const SparseAnalysis> analysis_;  // on rank 0
  TreePartition tree_;
  ValueDealer dealer_;
  std::shared_ptr<const RowExchange> rows_, columns_;  // one, where rows stay with columns
  double flops_ = 0;
  LocalIndex fronts_ = 0;
  std::unique_ptr<TeamFronts<T>> made_;
};

/// The rule that raises small pivots of a matrix with entries up to `largest`: to sqrt(u) of that
/// for the unit round-off u of T (Li and Demmel 1998).
template <typename T>
PivotRule perturbing_rule(double largest);

}  // namespace spsolve::sparse
