#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "core/words.hpp"
#include "solve/operators/options.hpp"
#include "solve/operators/pivot_statistics.hpp"
#include "solve/trust/condition.hpp"
#include "solve/trust/probe.hpp"
#include "solve/trust/refine.hpp"

namespace spsolve::inline solve {

/// All that was found out about a solution.
struct TrustFigures {
  Index order = 0;
  Method method = Method::lu;
  Precision precision = Precision::float64;  ///< as it was asked for
  bool float_factors = false;                ///< what solves is factors in float
  PivotStatistics pivots;
  bool has_pivots = true;        ///< whether they are those of an elimination
  bool complete = false;         ///< pivoting is complete
  bool asked_condition = true;   ///< solve.condition was
  bool asked_refinement = true;  ///< more than no sweeps were
  bool null_space = false;  ///< A is singular; x is orthogonal to its null space, which was named
  std::string null_vector;  ///< where one more was found: which of its elements have which sign
  bool iterates = false;    ///< corrections are by a Krylov method, or GMRES on factors
  double unmeasured = 0;    ///< what neither residuals nor corrections show of ||x - x*|| / ||x||
  double asked = 0;         ///< the backward error that was asked for; 0: as small as it gets
  Acceptance accept = Acceptance::digits;
  Refinement refinement;
  std::optional<Condition> condition;
  std::optional<Probe> probe;
};

/// Decimal digits of a double.
inline constexpr int digits_of_double = 16;

/// From this condition by components on (half of the digits of double) a note counts the digits
/// that are lost if A and b are rounded.
inline constexpr double noteworthy_condition = 1e8;

/// Digits of the largest components of x that are left then, for a condition >= 0 by components.
int digits_if_rounded(double condition);

/// Why no digit of x is certain.
enum class Doubt {
  none,        ///< some digits are, or nothing is known to the contrary
  singular,    ///< A is singular to working precision
  factors,     ///< to these factors A is no different from a singular matrix
  null_space,  ///< A takes more to zero than the null space that was named
  bound,       ///< condition x backward error, or what is hidden, leaves x no digit
  correction,  ///< the last correction of refinement was as large as x
  pivots,      ///< nothing was estimated, and the pivots may be those of a singular matrix
  unmeasured,  ///< nothing was estimated, and no correction told
};

/// The name that a solution gets, and the status of its report.
enum class Verdict {
  solved,           ///< a small residual, and digits of x that are right as far as is known
  uncertain,        ///< a small residual, but nothing says that any digit of x is right
  not_trustworthy,  ///< the residual is too large: x does not solve the system
};

inline constexpr std::string_view verdict_words[] = {"solved", "uncertain", "not trustworthy"};
constexpr Words words_of(Verdict) {
  return verdict_words;
}

/// How far x can be trusted.
struct Trust {
  static constexpr double unknown = std::numeric_limits<double>::infinity();

  Verdict verdict = Verdict::solved;
  Doubt doubt = Doubt::none;
  /// Bound on ||x - x*|| / ||x||, x* the exact solution, infinity norms; infinite where it is not
  /// known.
  double bound = unknown;
  /// Estimate of that error as the last corrections let expect it; infinite where it is not known.
  double estimate = unknown;
  /// Decimal digits of the largest components of x that stay where A and b change in their last
  /// digit; 0 for any doubt but the last two, nothing where no condition was estimated.
  std::optional<int> digits;
  /// The facts that a reader of the report should know before using x.
  std::vector<std::string> notes;
};

/// The smaller of backward error x condition in the norm, 2 ||A|| ||A^-1|| eta, and by components:
/// a bound on ||x - x*|| / ||x|| where the condition is that of A.
double forward_bound(const Condition& condition, const Quality& quality);

/// Judges a solution. With u = 2^-53, kappa and c the condition in the norm and by components, eta
/// and omega the backward errors alike, v what is hidden, B = min(2 kappa eta, c omega) + v, s the
/// estimate of refinement, the last correction, + v. Of an iteration B is s at least, and what it
/// left of the known solution is added to B, or to s where there is no B, unless it is by factors
/// that are near A^-1 (see Probe::near()):
///
///     null_space  the known solution, which had no part in the null space that was named, was not
///                 found, and what was left of it is taken to zero by A
///     singular    the known solution was not found (see probe_known_solution()), or c >= 1 / u
///     factors     likewise with factors in float, already for c >= 2^24 / 10 unless they are near,
///                 so that they tell c, or without c for omega >= 0.1; or where the known solution
///                 was not found although n kappa < 0.1 / u: then it is not A that is at fault, or
///                 the factors don't tell
///     bound       B >= 0.1, and refinement did not converge: not s < 0.1; or it did, by factors
///                 in float or by an iteration, whose corrections are of the largest parts of
///                 residuals first, and vanish where others are too small compared with them
///     correction  s >= 0.1, and finite; or, of a Krylov method, not finite although it was tried
///     pivots      neither kappa nor the known solution is there, and min |u_kk| <= n u max |u_kk|
///     unmeasured  neither kappa nor s is there
///
/// The first that holds decides, however kind the other figures are: bound and estimate are
/// unknown then. x is solved for where its residual is small and none holds, so that B or s is
/// below 0.1: at least the first digit of its largest component is right. With Acceptance::residual
/// its residual alone decides; doubt, figures and notes are the same. Each proves something that
/// the others can't:
///
/// - A condition comes from factors. Where A is singular these are round-off, and belong to a
///   regular matrix A + E. If no entry of A that may change takes part in A v = 0 (two leaves of a
///   graph that hang on the same node: w^T |A| |v| = 0 for its null vectors w and v) c is small,
///   although kappa is above 1 / u; and kappa may be as large where nothing is wrong but the scale
///   of rows and columns. The known solution tells the two from each other.
/// - Residuals and refinement don't see a singular A where b is in its range: then x is one of
///   many solutions.
/// - c is of changes that A and b may have had before they were stored; the others are of the
///   stored system.
/// - omega may be 1 where nothing is wrong: tiny components of x, zero but for rounding, that alone
///   make up a row of |A| |x| + |b|. B then says nothing, and corrections that vanish do, once the
///   known solution has shown that they tell the error.
///
/// Neither B nor s is published of an iteration that nothing but its own correction tells of: what
/// it does not see of the error of x, it does not see of a correction.
/// B is not published where c or kappa may be of another matrix, so that it does bound the error,
/// short of estimates that are off (by less than 3, mostly exact). O(1).
Trust judge(const TrustFigures& figures);

/// Why the forward error is not known, in a few words; "" for Doubt::none.
std::string why_unknown(Doubt doubt);

}  // namespace spsolve::solve
