#pragma once

#include <memory>
#include <vector>

#include "solve/trust/refine.hpp"

namespace spsolve::inline solve {

/// How a change of A and b may change x, the worst of all right-hand sides. Estimates, as by
/// estimate_one_norms(); infinite where the factors are singular.
struct Condition {
  /// ||A|| ||A^-1||, infinity norms.
  double normwise = 0;
  /// || |A^-1| (|A| |x| + |b|) || / ||x||, infinity norm (Skeel, 1979): changes of all a_ij and b_i
  /// by at most e |a_ij| and e |b_i| change x by at most about e times this. Scaling rows does
  /// not change it. 0 where x and b are 0, infinite where x alone is.
  double componentwise = 0;
  bool for_any_x = false;   ///< `componentwise` is the bound of condition_of_any()
  double inverse_norm = 0;  ///< ||A^-1||, infinity norm; 0 for n = 0, infinite where it overflows

  double reciprocal() const { return normwise > 0 ? 1 / normwise : 0; }
};

/// Estimates the condition of A x = b from solves with A and A^T by `inverse`; b and x as of
/// measure(). || |A^-1| w || is the one-norm of diag(w) A^-T. `magnitudes`: |A| |x| + |b|, where
/// that is known; it saves a product. Cost: 3 to 10 solves with at most 4 columns, mostly 4.
/// Collective.
Condition estimate_condition(SystemMatrix& matrix, const Vectors& b, const Vectors& x,
                             LinearOperator& inverse, std::unique_ptr<Vectors> magnitudes = nullptr,
                             double least_inverse_norm = 0);

/// || |A^-1| w || 2^power, infinity norm, for own rows w_i >= 0: the error of x where row i of its
/// residual is off by w_i 2^power. Estimated as by estimate_condition(); infinite for what is not
/// finite, or where A^-1 w comes out as zero although w is not. Collective.
double error_of_residuals(SystemMatrix& matrix, LinearOperator& inverse,
                          const std::vector<double>& w, double power);

/// 2 || |A^-1| |A| ||, infinity norm (Bauer, 1966; Skeel, 1979): a bound on the componentwise
/// condition of A x = b for every b, as |b| <= |A| |x|. For matrices that are solved with many
/// times: what it costs, and what it says, does not depend on x. Estimated as by
/// estimate_condition(), from columns half as many. Collective.
double condition_of_any(SystemMatrix& matrix, LinearOperator& inverse);

}  // namespace spsolve::solve
