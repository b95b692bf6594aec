#pragma once

#include <memory>
#include <optional>

#include "solve/gmres.hpp"
#include "solve/operators/equilibrate.hpp"
#include "solve/operators/system_matrix.hpp"
#include "solve/solve_purpose.hpp"
#include "solve/trust/probe.hpp"
#include "vectors/spare_vectors.hpp"

namespace spsolve::inline solve {

/// (R A C)^-1 by solve_by_gmres() on factors that are near it, where these alone are not enough.
class GmresInverse final : public LinearOperator {
 public:
  /// Collective: norms of R A C.
  GmresInverse(SystemMatrix& matrix, const Equilibration& scaling, LinearOperator& factors);

  /// The outcome of a first solve.
  struct Trial {
    std::unique_ptr<Vectors> x;
    GmresOutcome outcome;
  };
  /// Solves for `first`, right-hand sides of R A C, or where it is null for the row sums.
  /// Collective.
  Trial validate(const Vectors* first, const GmresBounds& bounds = {});
  /// Solves so by the factors alone.
  Trial try_factors_alone(const Vectors* first);

  /// Looks whether the factors alone find a known solution, and are near (see Probe::near()), as
  /// those of A but for their rounding are. Estimates are by them alone then, and where R A C is A
  /// and each step left a quarter at most, corrections, too. Hands back that probe; none where they
  /// are not near. Collective.
  std::optional<Probe> probe_factors();
  /// Whether corrections are, then.
  bool corrects_by_factors() const { return contraction_.has_value(); }

  /// Tells the purpose, see Inverse::expect(). For estimates it solves for f - r instead of f,
  /// ||R^-1 r||_1 a tenth of
  /// ||R^-1 f||_1 at most (of A^T: C), which tells as much of the norms of A^-1 but for that part;
  /// by the factors alone where these are near. A correction y then takes y <- y + M (f - R A C y)
  /// until a ten-thousandth of it is left, as the probe tells.
  void expect(SolvePurpose purpose) { purpose_ = purpose; }
  /// Inverse::correction_residuals() and Inverse::uncorrected_part() of the last apply() that was
  /// no estimate by the factors alone.
  const std::vector<double>& correction_residuals() const { return correction_residuals_; }
  double uncorrected_part() const { return uncorrected_part_; }

  void apply(const Vectors& x, Vectors& y) override;
  void apply_transposed(const Vectors& x, Vectors& y) override;

 private:
  std::unique_ptr<Vectors> right_hand_sides(const Vectors* first);
  void solve(LinearOperator& matrix, LinearOperator& inverse, double norm, double enough,
             const Vectors& f, Vectors& y);
  void correct(LinearOperator& matrix, LinearOperator& inverse, const Vectors& f, Vectors& y);
  /// The part of ||f||_2 that ||r||_2 may be for the purpose, `factors` being those of f.
  double enough(const ScaleFactors& factors, std::optional<double>& spread);

  SystemMatrix& matrix_;
  const Equilibration& scaling_;
  ScaledOperator scaled_;  // R A C
  LinearOperator& factors_;
  bool near_ = false;                  // the factors are
  std::optional<double> contraction_;  // the part of an error that a step leaves, if it is small
  double infinity_norm_;
  std::optional<double> one_norm_, row_spread_, column_spread_;  // when first asked for
  std::vector<double> correction_residuals_;
  double uncorrected_part_ = 0;
  SpareVectors residual_, step_;  // of corrections
  SolvePurpose purpose_ = SolvePurpose::solution;
};

}  // namespace spsolve::solve
