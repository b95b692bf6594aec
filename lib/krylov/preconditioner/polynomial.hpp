#pragma once

#include <memory>
#include <vector>

#include "vectors/band_matrix.hpp"

namespace spsolve::inline krylov {

/// Polynomials of D^-1 A that make residuals small over a part of its spectrum, by products alone:
///   x_{k+1} = x_k + a_k (x_k - x_{k-1}) + b_k D^-1 (b - A x_k).
class Polynomial {
 public:
  /// Chebyshev's of the fourth kind, the smoother that multigrid converges fastest with for so many
  /// products (Lottes, "Optimal polynomial smoothers for multigrid V-cycles", 2023): for
  /// eigenvalues up to `largest`.
  static std::vector<std::pair<double, double>> fourth_kind(int degree, double largest);

  /// Chebyshev's of the first kind: least on [smallest, largest].
  static std::vector<std::pair<double, double>> first_kind(int degree, double smallest,
                                                           double largest);

  /// `inverse` is D^-1; `steps` are the a_k and b_k.
  Polynomial(BandMatrix& matrix, std::shared_ptr<const Vectors> inverse,
             std::vector<std::pair<double, double>> steps)
      : matrix_(matrix), inverse_(std::move(inverse)), steps_(std::move(steps)) {}

  /// x <- p(D^-1 A) D^-1 b: the steps from x = 0. As many products as steps, less one.
  void from_zero(const Vectors& b, Vectors& x);

  /// Takes the steps from x on. As many products as steps.
  void improve(const Vectors& b, Vectors& x);

 private:
  /// Steps from number `first` on, which begins at `x` or at other_ as `in_x` says; ends in x.
  void walk(const Vectors& b, Vectors& x, std::size_t first, bool in_x);
  void make_room(const Vectors& like);

  BandMatrix& matrix_;
  std::shared_ptr<const Vectors> inverse_;
  std::vector<std::pair<double, double>> steps_;
  std::unique_ptr<Vectors> other_;  // every second x_k; of as many columns as were last asked for
};

}  // namespace spsolve::krylov
