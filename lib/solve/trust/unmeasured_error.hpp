#pragma once

#include <vector>

#include "solve/trust/condition.hpp"

namespace spsolve::inline solve {

/// A bound on what neither residuals nor corrections show of the error of x, a solution of A x = b,
/// as a part of ||x||, infinity norms, the worst of all columns.
struct UnmeasuredError {
  /// Rounding of x to the numbers below 2^-1022, which are 2^-1074 apart: 2^-1075 / ||x||. 0 where
  /// x has none of them among its largest.
  static double of_rounding(const std::vector<double>& sizes);

  /// Terms a_ij x_j below 2^-968, whose rounding errors are not numbers any more: with m_i of them
  /// in row i, r_i may be off by m_i 2^-1074, and x by || |A^-1| m || 2^-1074. Looked for where n
  /// of them in every row, at ||A^-1|| as `condition` has it, could be as large as rounding of x:
  /// then a pass over A, and 3 to 10 solves where there are any. Collective.
  static double of_underflow(SystemMatrix& matrix, const Vectors& x,
                             const std::vector<double>& sizes, const Condition& condition,
                             LinearOperator& inverse);

  /// Corrections d that an iteration solved for, R A C (C^-1 d) = R r, and stopped at a residual of
  /// `left` in the infinity norm: || |A^-1| R^-1 e || left / ||x||. `rows` is the diagonal of R,
  /// for own rows; null on every rank: R = I. Up to 10 solves with an R unless what ||A^-1|| tells
  /// is as small as rounding of x. Collective.
  static double of_corrections(SystemMatrix& matrix, const std::vector<double>& left,
                               const std::vector<double>* rows, const std::vector<double>& sizes,
                               const Condition& condition, LinearOperator& inverse);

  /// Corrections by factors in float. x is rounded to double, so that its residual is that of its
  /// rounding at least, u |A| |x|, which is rounded to float before each solve: of what that does
  /// to a correction, || |A^-1| |A| |x| || u 2^-24, corrections see the same again and again, so
  /// that x may settle that far from the solution. By the componentwise condition, or where that is
  /// 0, by ||A|| ||A^-1||. Collective.
  static double of_float(SystemMatrix& matrix, const Condition& condition);
};

}  // namespace spsolve::solve
