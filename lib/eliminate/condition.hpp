#pragma once

#include <functional>
#include <vector>

#include "core/team.hpp"
#include "distribute/row_bands.hpp"
#include "eliminate/refine.hpp"
#include "matrix/csr.hpp"
#include "matrix/dense.hpp"

namespace spsolve {

/// x <- B x for every column of an n x K multivector.
using Operator = std::function<void(Dense<double>&)>;

/// Estimates ||diag(w) B||_1 = max over j of sum over i of w_i |b_ij| for every column w >= 0 of
/// `weights` (n x W) from products with B and B^T (Hager, 1984; Higham, "FORTRAN codes for
/// estimating the one-norm", ACM TOMS 14, 1988). Lower bounds, seldom off by more than 3 and mostly
/// exact; infinite where a product isn't finite. Usually 2 products with B and 1 or 2 with B^T, at
/// most 5 and 5, for all W at once: 2 W columns in the first, W in the others.
std::vector<double> estimate_one_norms(const Dense<double>& weights, const Operator& apply,
                                       const Operator& apply_transposed);

/// How a change of A and b may change x, the worst of all right-hand sides. Estimates, as by
/// estimate_one_norms(); infinite where the factors are singular.
struct Condition {
  /// ||A|| ||A^-1||, infinity norms.
  double normwise = 0;
  /// || |A^-1| (|A| |x| + |b|) || / ||x||, infinity norm (Skeel, 1979): changes of all a_ij and b_i
  /// by at most e |a_ij| and e |b_i| change x by at most about e times this. Scaling rows does
  /// not change it. 0 where x is 0.
  double componentwise = 0;
  /// Whether it was estimated with factors in float, which can't tell a condition near 2^24 from
  /// that of a singular matrix.
  bool by_float = false;

  double reciprocal() const { return normwise > 0 ? 1 / normwise : 0; }

  /// Whether rounding A and b may turn every digit of x.
  bool singular_to_working_precision() const { return componentwise >= 1 / unit_roundoff; }

  /// Whether the factors can't tell how many digits of x are certain: the condition is at least
  /// about this, and may be infinite.
  bool beyond_the_factors() const { return by_float && componentwise >= 0.1 * 0x1p24; }

  /// Bound on ||x - x*|| / ||x||, x* the exact solution: the smaller of backward error x condition
  /// in the norm (2 ||A|| ||A^-1|| times) and by components; infinite where the matrix is singular
  /// to working precision, or may be for all that the factors tell.
  double forward_error(const Quality& quality) const;
};

/// Estimates the condition of A x = b from solves with A and A^T in place, as of Eliminated; bands,
/// band, b and x as of measure(). || |A^-1| w || is the one-norm of diag(w) A^-T. Cost: 3 to 10
/// solves with at most 4 columns, mostly 4. Collective.
Condition estimate_condition(Team& team, const RowBands& bands, const Csr<double>& band,
                             const Dense<double>& b, const Dense<double>& x, const Operator& solve,
                             const Operator& solve_transposed);

}  // namespace spsolve
