#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "solve/operators/linear_operator.hpp"

namespace spsolve::inline solve {

/// The state of a cycle of GMRES between two steps. Both functions write into one multivector,
/// which their caller may change, and which lasts until the next call of either. No reductions; 2 n
/// K steps flops.
struct GmresStep {
  std::vector<double> norms;             ///< ||r - A d||_2 of every column
  std::function<Vectors&()> correction;  ///< d
  std::function<Vectors&()> residual;    ///< r - A d, as the recurrence has it
};

/// Flexible GMRES, one cycle, for the K systems A d = r at once: minimises ||r - A d||_2 over the
/// space of M^-1 v_1, M^-1 v_2, ... (Saad, SIAM J. Sci. Comput. 14, 1993). With A in double and M
/// factors of A in lower precision, solutions are backward stable to double where M is at all close
/// to A (Arioli and Duff, "Using FGMRES to obtain backward stability in mixed precision", ETNA 33,
/// 2009).
///
/// `x` holds r on entry and d on exit. Stops where every column's norm is at most its `target`, or
/// after `most_steps`. Hands back the steps: as many applications of A and of M^-1. Keeps 2 (steps
/// + 1) multivectors; 2 n K steps^2 flops in addition to the operators'. Deterministic. `look` is
/// called after every step, and says whether to stop. Collective: two all-gathers for a step, of K
/// numbers for each vector that the new one is made orthogonal to and of K, and two more where it
/// is made so once again. F is double, or std::complex<double> where pairs of rows are complex
/// numbers: the space is then of complex multiples, and steps are those of the complex matrix.
template <typename F>
int gmres_cycle(LinearOperator& matrix, LinearOperator& inverse, const std::vector<double>& target,
                int most_steps, Vectors& x, const std::function<bool(const GmresStep&)>& look = {});

inline constexpr int most_steps_of_cycle = 20;  ///< of solve_by_gmres()

/// The outcome of solve_by_gmres(), of the worst of the right-hand sides.
struct GmresOutcome {
  /// ||b - A x|| / (||A|| ||x|| + ||b||), infinity norms, in double; of columns that have
  /// converged, attainable_error(n) at most.
  double backward_error = 0;
  int steps = 0;          ///< applications of A and of M^-1, the residuals' aside
  bool converged = true;  ///< to what was asked for
};

/// What is enough for solve_by_gmres().
struct GmresBounds {
  double part = 0;  ///< of the right-hand side, that may be left
  int most_steps = std::numeric_limits<int>::max();
  bool steadily = false;  ///< it gives up at once where its first steps are too slow for that
};

/// The backward error that a solution in double of order n can be asked for: (4 + sqrt(n)) u,
/// u = 2^-53, as an elimination in double leaves it.
double attainable_error(Index order);

/// ||b - A x|| / (||A|| ||x|| + ||b||) in infinity norms, `norm` = ||A||, the worst of the columns;
/// infinite where it is not a finite number. Collective.
double backward_error(LinearOperator& matrix, double norm, const Vectors& b, const Vectors& x);

/// Solves A x = b to the backward error of an elimination in double, by cycles of gmres_cycle()
/// on the residual, which is computed in double (Carson and Higham, "Accelerating the solution of
/// linear systems by iterative refinement in three precisions", SIAM J. Sci. Comput. 40, 2018;
/// Haidar, Tomov, Dongarra and Higham, SC18). `norm` is ||A|| in the infinity norm; `x` holds b on
/// entry and the best x that was found on exit. Gives up after a cycle of 20 steps that does not
/// halve the backward error, having taken gmres_bytes() of memory at most. Right-hand sides are
/// taken 8 at a time, those far from 1 near it by powers of two. A column whose ||b - A x||_2 is at
/// most `enough.part` times ||b||_2 has converged as well. Collective.
GmresOutcome solve_by_gmres(LinearOperator& matrix, LinearOperator& inverse, double norm,
                            Vectors& x, const GmresBounds& enough = {});

/// Bytes of the vectors of solve_by_gmres() on a rank with `height` of the rows, after so many
/// steps of a cycle.
std::int64_t gmres_bytes(Index height, Index right_hand_sides, int steps = most_steps_of_cycle);

}  // namespace spsolve::solve
