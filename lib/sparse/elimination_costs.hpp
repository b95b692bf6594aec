#pragma once

#include "core/types.hpp"
#include "sparse/analysis/analysis.hpp"

namespace spsolve::inline sparse {

/// Seconds that the steps of SparseInverse's chain are predicted to take, for factors that are
/// made, as what decides which of them comes next.
struct EliminationCosts {
  MemoryKind memory = MemoryKind::host;
  bool over_ranks = false;
  double flops = 0;   ///< of the factors, of real numbers
  Index numbers = 0;  ///< real ones, that the factors have

  /// Those of elimination with threshold pivoting, by a thread of the host.
  double of_threshold() const;
  /// Whether that is soon done: not worth much trying out before it.
  bool threshold_is_soon() const;
  /// Whether that is done before a GPU has taken a few steps of GMRES.
  bool is_too_small_to_try() const;
  /// The most steps of GMRES that solves may take: with more they take longer, for one solution
  /// and estimates, than another elimination on hosts.
  int most_steps() const;
  /// Those of matching and ordering a pattern of so many rows and non-zeros.
  static double of_matching(Index rows_and_nonzeros);
  /// Those of steps of GMRES in the solves of one system, and of trying them out.
  double of_gmres(int steps) const;
  /// Whether these are most of its time by far, as they are on a GPU.
  bool is_mostly_gmres(int steps) const;
};

}  // namespace spsolve::sparse
