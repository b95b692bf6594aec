#pragma once

#include <memory>
#include <vector>

#include "solve/operators/linear_operator.hpp"

namespace spsolve::inline solve {

/// The settings of estimate_one_norms().
struct OneNormSetting {
  double factor = 1;       ///< f, a power of two: of f B f instead of B
  bool with_ones = false;  ///< also of f B f without weights, first
};

/// Estimates ||diag(w) B||_1 = max over j of sum over i of w_i |b_ij| for every column w >= 0 of
/// `weights` (n x W) from products with B and B^H (Hager, 1984; Higham, "FORTRAN codes for
/// estimating the one-norm", ACM TOMS 14, 1988), with random signs in the place of the latter's
/// alternating ones. Lower bounds, seldom off by more than 3 and mostly exact; infinite where a
/// product isn't finite. Usually 2 products with B and 1 or 2 with B^H, at most 5 and 5, for all W
/// at once: 2 columns in the first, W in the others. Works where `weights` are, in three
/// multivectors of as many columns as there are estimates. Collective.
std::vector<double> estimate_one_norms(std::unique_ptr<Vectors> weights, LinearOperator& b,
                                       const OneNormSetting& setting = {});

}  // namespace spsolve::solve
