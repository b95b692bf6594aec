#pragma once

#include <memory>
#include <optional>

#include "solve/equilibrate.hpp"
#include "solve/gmres.hpp"
#include "solve/solve_purpose.hpp"
#include "solve/system_matrix.hpp"

namespace spsolve {

/// (R A C)^-1 by solve_by_gmres() on factors that are near it, where these alone are not enough.
class GmresInverse final : public LinearOperator {
 public:
  /// What is given must outlive the object. `rounded`: the factors are those of A but for their
  /// rounding, so that norms of what they stand for may be those of A^-1. Collective: norms of
  /// R A C.
  GmresInverse(SystemMatrix& matrix, const Equilibration& scaling, LinearOperator& factors,
               bool rounded = false);

  /// What a first solve came to.
  struct Trial {
    std::unique_ptr<Vectors> x;
    GmresOutcome outcome;
  };
  /// Solves for `first`, right-hand sides of R A C, or where it is null for the row sums.
  /// Collective.
  Trial try_out(const Vectors* first);
  /// The same by the factors alone.
  Trial try_factors_alone(const Vectors* first);

  /// As Inverse::expect(). For estimates it solves for f - r instead of f, ||R^-1 r||_1 a tenth of
  /// ||R^-1 f||_1 at most (of A^T: C), which tells as much of the norms of A^-1 but for that part;
  /// by the factors alone where these are rounded and so near to A.
  void expect(SolvePurpose purpose) { purpose_ = purpose; }
  /// Inverse::left() of the last apply() that was not by the factors alone.
  const std::vector<double>& left() const { return left_; }

  void apply(const Vectors& x, Vectors& y) override;
  void apply_transposed(const Vectors& x, Vectors& y) override;

 private:
  std::unique_ptr<Vectors> right_hand_sides(const Vectors* first);
  void solve(LinearOperator& matrix, LinearOperator& inverse, double norm, double enough,
             const Vectors& f, Vectors& y);
  /// Whether M^-1 A is I but for a tenth, M being what the factors are of: by steps of the power
  /// method with I - M^-1 A, of which the first ones amplify what is largest.
  bool is_near();
  /// The part of ||f||_2 that ||r||_2 may be for the purpose, `factors` being those of f.
  double enough(const ScaleFactors& factors, std::optional<double>& spread);

  SystemMatrix& matrix_;
  const Equilibration& scaling_;
  ScaledOperator scaled_;  // R A C
  LinearOperator& factors_;
  bool rounded_;
  std::optional<bool> near_;  // when first asked for
  double infinity_norm_;
  std::optional<double> one_norm_, row_spread_, column_spread_;  // when first asked for
  std::vector<double> left_;
  SolvePurpose purpose_ = SolvePurpose::solution;
};

}  // namespace spsolve
