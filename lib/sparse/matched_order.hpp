#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "solve/operators/equilibrate.hpp"
#include "sparse/elimination_costs.hpp"
#include "sparse/gathered_matrix.hpp"

namespace spsolve::inline sparse {

/// The reason for another order of L D L^T: what its elimination is to be sooner done than.
struct MatchedOrderLimit {
  EliminationCosts plain;       ///< of the factors that there are
  std::size_t value_bytes = 0;  ///< of a number of the factors
  int threads = 1;              ///< of rank 0 and those that others lend
  int gmres_steps = 0;          ///< that a solution takes with them; 0: they fail

  /// Whether an elimination by `matched` is worth it: where factors fail, it is to take less than
  /// threshold pivoting; else no longer than `before`, but for steps that are spared; and no more
  /// memory than a host has.
  bool allows(const SparseAnalysis& matched, const SparseAnalysis& before) const;
};

/// The order of elimination in which matched rows stay together, as 2 x 2 pivots of L D L^T: looked
/// for where pivots are too small in the order there is; and once more for later values of which
/// more are than of those that it is of, each time after twice as many systems. Collective.
class MatchedOrder {
 public:
  MatchedOrder(const SparseChoice& choice, GatheredMatrix& gathered)
      : choice_(choice), gathered_(gathered), taken_(choice.matching == AutoSwitch::on) {}

  /// Whether it may be looked for, where so many pivots are too small.
  bool is_open(Index perturbed) const;

  /// Hears how many pivots were too small in the order there is.
  void hear(Index perturbed);

  /// Looks for it, by the values of `matrix`, and takes it where the limit allows it; whether it
  /// did. GatheredMatrix::prepare() comes next.
  bool find(SystemMatrix& matrix, const MatchedOrderLimit& limit);

  /// It is to be looked for when new values come.
  void find_next(const MatchedOrderLimit& limit) { next_ = limit; }
  /// Hears that there are new values, and does that, if it is asked for.
  bool find_if_asked(SystemMatrix& matrix);
  /// Whether that found one; once.
  bool is_news() { return std::exchange(is_news_, false); }

  /// Prepares the values by the scale factors that go with the order, in place of those of
  /// `scaling`, R A C: S R A C S. Hands back S; none where nothing is to be scaled by it.
  std::optional<ScaleFactors> prepare(SystemMatrix& matrix, const Equilibration& scaling,
                                      Precision precision);

 private:
  const SparseChoice& choice_;
  GatheredMatrix& gathered_;
  bool taken_;  // the order there is is one
  bool is_news_ = false;
  bool refused_ = false;            // none was worth it
  Index systems_ = 0;               // since it was looked for, these included
  Index wait_ = 1;                  // for so many systems
  std::optional<Index> perturbed_;  // pivots of the values that it is of
  std::optional<MatchedOrderLimit> next_;
};

}  // namespace spsolve::sparse
