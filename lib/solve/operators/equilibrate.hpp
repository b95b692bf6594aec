#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "solve/operators/options.hpp"
#include "solve/operators/scale_factors.hpp"
#include "solve/operators/system_matrix.hpp"
#include "vectors/spare_vectors.hpp"

namespace spsolve::inline solve {

/// Powers of two r_i for own rows i and c_j for own columns j that bring the largest entry of every
/// row and column of R A C = (r_i a_ij c_j) near 1: see equilibration_of(). Both empty where the
/// matrix is left as it is, on every rank or none.
struct Equilibration {
  bool scales = false;
  ScaleFactors rows, columns;  ///< own().size() of each, where it scales
};

/// The largest and the smallest of numbers that are not zero.
struct Spread {
  double most = 0, least = std::numeric_limits<double>::infinity();

  /// Whether they differ by a factor of 10 or more.
  bool is_far() const { return least <= 0.1 * most; }
};

/// Exponents of the powers of two that equilibration_of() scales by, of own rows and columns, and
/// the largest entries that they are of: of rows, and of columns after the rows were scaled.
struct MatrixScales {
  std::vector<std::int16_t> rows, columns;
  Spread of_rows, of_columns;  ///< on all ranks
};

/// The scales of the values of a matrix, which keeps them, in 4 bytes a row. Cost: two passes over
/// the non-zeros by the host, a message each way with each neighbour, the first time. Collective.
const MatrixScales& scales_of(const SystemMatrix& matrix);

/// 2^(sign e) for these exponents e, -1022 to 1022.
std::vector<double> powers_of_two(const std::vector<std::int16_t>& exponents, int sign = 1);

/// Scale factors as LAPACK's geequb finds them: r_i = 1 / max_j |a_ij|, then c_j = 1 / max_i r_i
/// |a_ij|, each rounded to a power of two, so that scaling rounds nothing (short of underflow of
/// entries 10^300 times smaller than the largest of their row). A row or column of zeros keeps
/// factor 1.
/// AutoSwitch::automatic scales where LAPACK's gesvx does: where the largest entries of rows, or of
/// columns after the rows were scaled, differ by a factor of 10 or more, or the largest of all is
/// within 2^54 of the range of `precision`. Cost: that of scales_of(). Collective.
Equilibration equilibration_of(const SystemMatrix& matrix, AutoSwitch wanted, Precision precision);

/// D_2 B D_1 for an operator B over vectors of `matrix`, and diagonal matrices of scale factors; B
/// itself where nothing is scaled.
class ScaledOperator final : public LinearOperator {
 public:
  /// R A C for the matrix A: D_1 = C, D_2 = R.
  static ScaledOperator scaled(SystemMatrix& matrix, const Equilibration& scaling);

  /// C B R, which for B = (R A C)^-1 is A^-1.
  static ScaledOperator unscaled(LinearOperator& inverse, const SystemMatrix& matrix,
                                 const Equilibration& scaling);

  void apply(const Vectors& x, Vectors& y) override;
  void apply_transposed(const Vectors& x, Vectors& y) override;

 private:
  /// Collective.
  ScaledOperator(LinearOperator& of, const SystemMatrix& matrix, const ScaleFactors& first,
                 const ScaleFactors& second, bool scales);

  LinearOperator& of_;
  std::shared_ptr<const Vectors> first_, second_;  ///< null where nothing is scaled
  SpareVectors between_;
};

/// max over i of |f - R A C y|, in double, for each column. One pass over the rows of a process
/// that has them all, in host memory, without vectors of its own; elsewhere two multivectors.
/// Collective.
std::vector<double> residual_maxima(SystemMatrix& matrix, const Equilibration& scaling,
                                    const Vectors& f, const Vectors& y);

/// x <- D x for the factors of own rows.
void scale_own_rows(const SystemMatrix& matrix, const ScaleFactors& factors, Vectors& x);

}  // namespace spsolve::solve
