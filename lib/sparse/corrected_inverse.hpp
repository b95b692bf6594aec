#pragma once

#include <memory>
#include <vector>

#include "solve/operators/linear_operator.hpp"
#include "solve/operators/system_matrix.hpp"
#include "sparse/fronts/factorization.hpp"

namespace spsolve::inline sparse {

/// A^-1 of a symmetric A by that of F = A + E D E^T, where D has what was added to a few pivots and
/// E their columns of the identity (Stewart 1974, Modifying pivot elements in Gaussian
/// elimination):
///
///     A^-1 = F^-1 + Z S^-1 Z^T,  Z = F^-1 E,  S = D^-1 - E^T Z.
///
/// Pivots that were made large leave F without the growth that small ones would bring. Cost: a
/// solve of as many columns as pivots, and memory of these; a solve then takes two products with Z
/// in addition. Of a rank alone.
class CorrectedInverse final : public LinearOperator {
 public:
  /// `inverse`: F^-1, which stays. `raised`: rows of A. Solves for Z.
  CorrectedInverse(SystemMatrix& matrix, LinearOperator& inverse,
                   const std::vector<RaisedPivot>& raised);

  /// Whether S has an inverse that tells digits; else A is singular, or next to it.
  bool is_regular() const { return regular_; }

  void apply(const Vectors& x, Vectors& y) override { correct(false, x, y); }
  void apply_transposed(const Vectors& x, Vectors& y) override { correct(true, x, y); }

 private:
  void correct(bool transposed, const Vectors& x, Vectors& y);

  LinearOperator& inverse_;
  std::unique_ptr<Vectors> z_;
  Dense<double> s_;  // its inverse
  bool regular_ = false;
};

}  // namespace spsolve::sparse
