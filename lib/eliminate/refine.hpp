#pragma once

#include <functional>

#include "core/team.hpp"
#include "distribute/row_bands.hpp"
#include "matrix/csr.hpp"
#include "matrix/dense.hpp"

namespace spsolve {

/// How well some x solves A x = b, the worst of all right-hand sides.
struct Quality {
  /// Normwise backward error max_i |r_i| / (||A|| ||x|| + ||b||), infinity norms, r = b - A x
  /// (Rigal and Gaches, 1967): the relative change of A and b that makes x exact.
  double backward_error = 0;
  /// Componentwise backward error max_i |r_i| / (|A| |x| + |b|)_i (Oettli and Prager, 1964).
  double componentwise_error = 0;
};

/// Measures `x` against the sparse A, of which this rank holds the rows `rows` in `band`; b and x
/// are whole, n x K, the same on every rank. In double throughout. Puts r = b - A x, whole, into
/// `residual` on every rank. A value that is not finite gives infinite errors. Collective.
Quality measure(Team& team, const RowBands& bands, const Csr<double>& band, const Dense<double>& b,
                const Dense<double>& x, Dense<double>& residual);

/// What refinement came to.
struct Refinement {
  Quality before;  ///< of the first solution
  Quality after;   ///< of the solution that is handed back
  int sweeps = 0;  ///< corrections that were kept
};

/// Improves the solution x of A x = b by at most `most_sweeps` steps of iterative refinement with
/// residuals in double (Wilkinson; Skeel, 1980; Higham, Accuracy and Stability, chapter 12):
/// r = b - A x, x <- x + d with A d = r from `solve_in_place` (r on entry, d on exit). Stops when
/// both backward errors are at round-off or no longer halve, and keeps the best x. Collective.
Refinement refine(Team& team, const RowBands& bands, const Csr<double>& band,
                  const Dense<double>& b, const std::function<void(Dense<double>&)>& solve_in_place,
                  int most_sweeps, Dense<double>& x);

}  // namespace spsolve
