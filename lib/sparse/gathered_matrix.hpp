#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "solve/operators/options.hpp"
#include "solve/operators/system_matrix.hpp"
#include "sparse/pattern/clean.hpp"
#include "sparse/sparse_memory.hpp"
#include "team/lent_processors.hpp"

namespace spsolve::inline sparse {

/// How a sparse matrix is to be eliminated.
struct SparseChoice {
  Factorization kind = Factorization::lu;
  Ordering ordering = Ordering::automatic;
  AutoSwitch matching = AutoSwitch::automatic;
  AutoSwitch equilibrate = AutoSwitch::automatic;
  Index systems = 1;  ///< of the pattern that are expected
  /// Whether L D L^T takes over where L L^T finds that the matrix is not positive definite.
  bool may_change = false;
  /// Whether all ranks of the team eliminate, in host memory, and not rank 0 alone.
  bool over_ranks = false;
  /// Whether solutions are refined against the matrix by whoever applies the inverse, so that it
  /// need not look after small pivots by itself.
  bool refined = false;
  /// Whether the condition is estimated after each elimination, which takes vectors of its own: the
  /// stacks of fronts are let go of before any solve.
  bool estimated = false;
  /// Whether the system's matrix is the real form of a complex one that is eliminated in complex
  /// numbers, as its n x n entries; in host memory.
  bool complex = false;
};

/// A system's matrix as rank 0 eliminates it: all rows, without stored zeros, the analysis of its
/// pattern, its scale factors and values; of a complex one, whose real form the system's matrix is,
/// the analysis of its moduli, and values of two numbers each. find_scaling(), where the
/// elimination's own factors are wanted, then prepare(); again for new values. Collective, unless
/// it says otherwise.
class GatheredMatrix {
 public:
  /// `analysis` is used where the matrix has its pattern; may be null.
  GatheredMatrix(Team& team, SparseMemory& memory, LentProcessors& lent, const SparseChoice& choice,
                 std::shared_ptr<const SparseAnalysis> analysis);

  /// A function that may gather new values without host memory, for values() on rank 0 and null
  /// elsewhere, and says whether it did.
  using GatherValues = std::function<bool(SystemMatrix& matrix, ScaledValues* whole)>;
  void gather_by(GatherValues gather) { gather_values_ = std::move(gather); }

  /// Finds the scaling, see Inverse::find_scaling().
  void find_scaling(SystemMatrix& matrix, AutoSwitch wanted, Precision precision,
                    Equilibration& scaling);

  /// Analyses the pattern anew, for these values: rows that are matched stay together, as 2 x 2
  /// pivots of L D L^T. `accept`, on rank 0, says whether that analysis is to take the place of the
  /// one there is; hands back whether it did. find_scaling() or prepare() come next.
  using Accept = std::function<bool(const SparseAnalysis& matched, const SparseAnalysis& plain)>;
  bool match(SystemMatrix& matrix, const Accept& accept);

  /// Takes in the values of R A C.
  void prepare(SystemMatrix& matrix, const Equilibration& scaling);

  /// On rank 0, from the first of the two on.
  const std::shared_ptr<const SparseAnalysis>& analysis() const { return analysis_; }
  /// On rank 0, from prepare() on; null elsewhere.
  ScaledValues* values() const { return values_.get(); }

  /// Refuses values that nothing can be eliminated with; their largest magnitude, on rank 0. From
  /// prepare() on, while the system's matrix is there. Collective.
  double largest_value(SystemMatrix& matrix);

  /// Whether rows of imaginary parts of the real form have the opposite sign, with which that of a
  /// complex symmetric A is symmetric; on rank 0, from the first of the two on.
  bool conjugates() const { return complex_.conjugates; }

  /// The facts of its symmetry that are not those of the system's matrix, a sentence each, for L
  /// L^T and L D L^T. From prepare() on.
  std::vector<std::string_view> notes() const;

  /// Whether such a factorisation remembers which entries of a matrix with stored zeros it takes,
  /// for new values, instead of the copy without them; `facts` are those of the matrix with them.
  static bool keeps_taken_entries(Factorization kind, const SymmetryFacts& facts) {
    return kind == Factorization::lu || (facts.symmetric_pattern && facts.nearly_symmetric);
  }

  /// Whether an analysis' work is worth more threads than rank 0's own; that of this matrix, as far
  /// as it is known, on rank 0. Not collective.
  static bool is_large(const SparseAnalysis& analysis);
  bool is_large() const;
  /// Whether passes over its values, which a GPU may do, take longer than more threads to start.
  /// Not collective.
  bool has_large_passes() const;

 private:
  bool has_pattern_of(const SystemMatrix& matrix) const;
  void gather(SystemMatrix& matrix);
  void gather_rows_of(SystemMatrix& matrix);
  std::optional<Csr<double>> clean(const SymmetryFacts& facts);
  void analyse(const Csr<double>& rows, const SystemMatrix& matrix);
  void analyse_matched(const Csr<double>& rows);
  void forget_values();
  SymmetryFacts take_complex();
  void take_values(SystemMatrix& matrix);
  void take_mirrors(Mirrors mirrors, const Csr<double>& rows);
  void take_new_mirrors();
  void scatter_scaling(const SystemMatrix& matrix, Equilibration& scaling) const;
  Equilibration gathered_scaling(const SystemMatrix& matrix, const Equilibration& scaling) const;

  Team& team_;
  SparseMemory& memory_;
  LentProcessors& lent_;
  SparseChoice choice_;
  std::shared_ptr<const SparseAnalysis> analysis_;
  // Until prepare() has returned: the rows that are eliminated, but for zeros that entries_ leaves
  // out, and what owns them where that is not the system's matrix.
  const Csr<double>* rows_ = nullptr;
  Csr<double> whole_;
  ComplexMatrix complex_;  // where choice_ says so, of which rows_ are the moduli then
  const SystemMatrix* known_ =
      nullptr;  // of the analysis' pattern, but for what entries_ leaves out
  const SystemMatrix* kept_ = nullptr;  // of several ranks, the pattern of whole_
  TakenEntries entries_;                // none: all of them
  bool rounds_mirrors_ = false;
  const Accept* accept_ = nullptr;  // within match()
  bool accepted_ = false;
  GatherValues gather_values_;
  std::unique_ptr<ScaledValues> values_;
  const Csr<double>* values_of_ = nullptr;  // the rows that they are of
};

}  // namespace spsolve::sparse
