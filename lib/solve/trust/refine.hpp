#pragma once

#include <limits>
#include <vector>

#include "solve/operators/system_matrix.hpp"
#include "vectors/spare_vectors.hpp"

namespace spsolve::inline solve {

/// How well some x solves A x = b, the worst of all right-hand sides.
struct Quality {
  /// Normwise backward error max_i |r_i| / (||A|| ||x|| + ||b||), infinity norms, r = b - A x
  /// (Rigal and Gaches, 1967): the relative change of A and b that makes x exact.
  double backward_error = 0;
  /// Componentwise backward error max_i |r_i| / (|A| |x| + |b|)_i (Oettli and Prager, 1964).
  double componentwise_error = 0;
};

/// Measures x against the sparse A and puts r = b - A x, summed in twice the precision of double,
/// into `residual`. A value that is not finite gives infinite errors. Collective.
Quality measure(SystemMatrix& matrix, const Vectors& b, const Vectors& x, Vectors& residual);

/// The outcome of refinement.
struct Refinement {
  Quality before;      ///< of the first solution
  Quality after;       ///< of the solution that is handed back
  int sweeps = 0;      ///< corrections that were kept
  bool tried = false;  ///< a correction was computed, kept or not
  double step = 0;     ///< max ||d|| / ||x|| of the last one over the right-hand sides
  /// `before`, then what each correction that was kept came to: sweeps + 1 of them.
  std::vector<Quality> history;
  /// Estimate of max ||x - x*|| / ||x|| over the right-hand sides, infinity norms, x* the exact
  /// solution of the stored A and b; infinite where the corrections told nothing.
  double forward_error = std::numeric_limits<double>::infinity();
};

/// The memory that refinement works in, for callers that refine often.
struct RefinementSpace {
  SpareVectors residual, correction;
  /// Where this is there, like b, it gets |A| |x| + |b|, which residuals find on their
  /// way, for the x that is handed back; it is taken away where that was not the last one measured.
  std::unique_ptr<Vectors> magnitudes;
};

/// The settings of refinement.
struct RefinementSetting {
  int most_sweeps = 0;
  double rate = 0;  ///< the part of an error that a correction leaves, as far as it is known
};

/// Improves the solution x of A x = b by at most setting.most_sweeps steps of iterative refinement:
/// r = b - A x, x <- x + d, d = `inverse` r, an approximation to A^-1 r. Since r is computed in
/// twice the precision of double, x itself, and not only its residual, becomes right to working
/// precision wherever the solves contract at all: condition x (error of the solves) < 1/2
/// (Wilkinson, 1963; Demmel, Hida, Kahan, Li, Mukherjee and Riedy, "Error bounds from extra-precise
/// iterative refinement", ACM TOMS 32, 2006).
///
/// A step is kept if a backward error halves, or if d is at most half of the step before (of x, for
/// the first), and neither backward error grows. Stops after the first that is not kept, or when
/// the backward errors are at round-off and the next step is expected to change no bit of ||x||:
/// with s = ||d|| / ||x|| and rho the largest ratio of two steps so far, x is expected to be off by
/// rho s / (1 - rho). The first step tells rho only as far as the first solution was no luckier
/// than others: 100 s is taken for it. Neither shows how slowly a part of x converges that is small
/// compared with the others, until they have converged: rho is `setting.rate` at least. Needs b, x
/// and the multivectors of `space`. Collective.
Refinement refine(SystemMatrix& matrix, const Vectors& b, LinearOperator& inverse,
                  const RefinementSetting& setting, Vectors& x, RefinementSpace& space);
Refinement refine(SystemMatrix& matrix, const Vectors& b, LinearOperator& inverse,
                  const RefinementSetting& setting, Vectors& x);

/// Goes on with x as refine() left it, which `so_far` tells of, where corrections are known by now
/// to leave the part setting.rate of an error, and x is expected to be off by more than its last
/// bit. Mostly it is not, and nothing is done. Collective.
void refine_further(SystemMatrix& matrix, const Vectors& b, LinearOperator& inverse,
                    const RefinementSetting& setting, Vectors& x, RefinementSpace& space,
                    Refinement& so_far);

/// max ||d|| / ||x|| over the right-hand sides for d = `inverse` (b - A x), which is not added to
/// x: how far x is off, where the solves have a digit right. Infinite for what is not finite. Takes
/// two multivectors in addition to b and x. Collective.
double relative_correction(SystemMatrix& matrix, const Vectors& b, LinearOperator& inverse,
                           const Vectors& x);

}  // namespace spsolve::solve
