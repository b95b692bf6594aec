#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <string_view>

#include "core/words.hpp"
#include "solve/operators/linear_operator.hpp"
#include "solve/operators/system_matrix.hpp"
#include "spsolve/inertia.hpp"

namespace spsolve::inline solve {

/// Whether solves with A find a solution that was known beforehand.
struct Probe {
  double left = 0;  ///< of the known solution's error, ||e / c||_2; infinite for what is not finite
  int steps = 0;    ///< corrections that it took
  double first = 0;         ///< what the first of them left, as a part of the solution
  double slowest = 0;       ///< the largest part of an error that one of them left
  bool by_factors = false;  ///< corrections were by factors alone, not by an iteration
  /// max ||e|| / ||A e|| of the errors, infinity norms: at most ||A^-1||, infinite where A takes
  /// one to zero.
  double inverse_norm = 0;

  /// Below `left` = tau a singular A has at most this chance of 1.5 tau to come.
  static constexpr double least_doubt = 1e-6;

  /// Whether the solution was found: A is regular, and solves with it contract.
  bool found() const { return left <= least_doubt; }
  /// Whether it was found to its last digit, of n elements.
  bool found_all(Index n) const {
    return left <= 4 * unit_roundoff * std::sqrt(static_cast<double>(n));
  }

  /// The part of an error that corrections of other solutions leave at most, as far as this tells:
  /// a first step alone may have met little of what they leave most of.
  double rate() const {
    constexpr double luck_of_one = 10, luck_of_more = 2;
    return slowest * (steps > 1 ? luck_of_more : luck_of_one);
  }

  static constexpr int steps_of_near = 3;
  static constexpr double part_of_near = 0.5;
  /// Whether factors M of order n are near A^-1, so that norms of M are those of A^-1 within a
  /// factor of two: I - M A left half at most of each of three errors, which come to what it
  /// amplifies most, or of the solution no more than its last digit.
  bool near(Index n) const {
    const bool enough = steps >= steps_of_near || found_all(n);
    return by_factors && found() && enough && slowest <= part_of_near;
  }
};

/// The settings of a probe.
struct ProbeSetting {
  int least_steps = 1;
  /// It ends, too, with a step that leaves a larger part of the error.
  double largest_part = std::numeric_limits<double>::infinity();
  /// Takes out of z, and of every error, what A takes to zero as is known; empty: nothing.
  std::function<void(Vectors&)> project = {};
  Vectors* rest = nullptr;  ///< gets the last error, where it is not null: one column
};

/// Takes z_j = c_j g_j with random g_j, evenly distributed between -1 and 1, C = diag(c) the column
/// scaling of equilibration_of(), starts with the error e = z of x = 0 as a solution of A x = A z,
/// and refines: e <- e - M A e, M = `inverse` an approximation to A^-1, A e in twice the precision
/// of double (see measure()). Stops where ||C^-1 e||_2 <= least_doubt after `least_steps`, or where
/// it is round-off, after three steps in a row that do not halve it, and after 10. Two steps tell
/// what of e an iteration does not see: what is left after a first one is made of that alone, so
/// that ||e|| / ||A e|| comes near ||A^-1||, as in inverse iteration.
///
/// Where A is regular and ||M A - I|| < 1/2, e vanishes, mostly in one step. Where A is singular,
/// it cannot: with A v = 0, ||C^-1 v||_2 = 1, A z is the same for all z + t v, so whatever is
/// computed from A z, by whatever factors, knows nothing of the part of z along v, whose density is
/// nowhere above 1 / sqrt(2) (Ball, "Cube slicing in R^n", Proc. AMS 97, 1986): ||C^-1 e||_2 <= tau
/// has a probability of at most sqrt(2) tau. So this tells singular matrices whose factors are
/// round-off from regular ones, for any right-hand side and any scaling of rows and columns, where
/// a condition estimated from such factors can't: it may come out small, as the factors are those
/// of some other, regular matrix. Cost: 1 to 10 products with A and solves of one column, and one
/// equilibration_of(). Collective.
Probe probe_known_solution(SystemMatrix& matrix, LinearOperator& inverse,
                           const ProbeSetting& setting = {});

inline constexpr std::string_view certainty_words[] = {"unknown", "likely", "certain"};
constexpr Words words_of(Certainty) {
  return certainty_words;
}

/// How fast factors come to solutions that are known beforehand.
struct Contraction {
  static constexpr Index columns = 2;
  static constexpr double least = 1e-6;  ///< of `left`
  static constexpr double soon = 1e-3;   ///< of `first`: rounding has no part in it

  double first = std::numeric_limits<double>::infinity();  ///< ||C^-1 e||_2 after one step
  double left = std::numeric_limits<double>::infinity();   ///< after the last

  /// Of the signs of the pivots, as those of the eigenvalues of A.
  Certainty certainty() const {
    if (!(left <= least)) return Certainty::unknown;
    return first <= soon ? Certainty::certain : Certainty::likely;
  }
};

/// Takes random errors e = z as probe_known_solution() does, two of them, and steps
/// e <- (I - M A) e by symmetric factors M = (A + E)^-1, until all are `least` at most. Were A
/// singular, or had it another inertia than A + E, then so would be A + t E for some t from 0 to 1,
/// and I - M A = M E would have a real eigenvalue of at least 1. No step takes away any of the part
/// of e along its left eigenvector, which is below tau in C^-1 e by a chance of at most 1.5 tau for
/// each column, as there: below 2e-12 that both errors come to 1e-6. In the steps themselves
/// rounding adds to E what differs from one e to the next, and may be as large. That it cancels E
/// to a thousandth for each column has a chance of some 1e-6, hence `soon`. Cost: 1 to 10 products
/// with A and solves of two columns. C is `scale`, own powers of two that A is eliminated by, or
/// null: of equilibration_of(). Collective.
Contraction probe_contraction(SystemMatrix& matrix, LinearOperator& factors,
                              const std::vector<double>* scale = nullptr);

}  // namespace spsolve::solve
