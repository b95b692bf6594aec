#pragma once

#include <memory>
#include <vector>

#include "solve/trust/refine.hpp"

namespace spsolve {

/// What estimate_one_norms() is asked for beside.
struct OneNormSetting {
  double factor = 1;       ///< f, a power of two: of f B f instead of B
  bool with_ones = false;  ///< also of f B f without weights, first
};

/// Estimates ||diag(w) B||_1 = max over j of sum over i of w_i |b_ij| for every column w >= 0 of
/// `weights` (n x W) from products with B and B^T (Hager, 1984; Higham, "FORTRAN codes for
/// estimating the one-norm", ACM TOMS 14, 1988). Lower bounds, seldom off by more than 3 and mostly
/// exact; infinite where a product isn't finite. Usually 2 products with B and 1 or 2 with B^T, at
/// most 5 and 5, for all W at once: 2 columns in the first, W in the others. Works in vectors like
/// `weights`, two multivectors beside them and, between products, one in host memory. Collective.
std::vector<double> estimate_one_norms(std::unique_ptr<Vectors> weights, LinearOperator& b,
                                       const OneNormSetting& setting = {});

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
/// measure(). || |A^-1| w || is the one-norm of diag(w) A^-T. Cost: 3 to 10 solves with at most 4
/// columns, mostly 4. Collective.
Condition estimate_condition(SystemMatrix& matrix, const Vectors& b, const Vectors& x,
                             LinearOperator& inverse);

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

}  // namespace spsolve
