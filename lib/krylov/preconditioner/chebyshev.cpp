#include "krylov/preconditioner/polynomial.hpp"
#include "krylov/preconditioner/preconditioner.hpp"
#include "krylov/preconditioner/spectrum.hpp"

namespace spsolve::inline krylov {

namespace {

/// p(D^-1 A) D^-1, least over the upper part of the spectrum. Symmetric where A is; its transpose
/// is taken to be of D^-1 A^T and not offered for others.
class ChebyshevPreconditioner final : public PreconditionerOperator {
 public:
  explicit ChebyshevPreconditioner(const PreconditionerInput& input)
      : inverse_(inverse_diagonal(input.matrix)),
        polynomial_(input.matrix, inverse_, steps(input)) {}

  void apply(const Vectors& x, Vectors& y) override { polynomial_.from_zero(x, y); }
  void apply_transposed(const Vectors& x, Vectors& y) override { apply(x, y); }

 private:
  static constexpr int degree = 4;
  static constexpr double part_of_spectrum = 30;

  std::vector<std::pair<double, double>> steps(const PreconditionerInput& input) const {
    const double largest = largest_eigenvalue(input.matrix, *inverse_, input.symmetric);
    return Polynomial::first_kind(degree, largest / part_of_spectrum, largest);
  }

  std::shared_ptr<const Vectors> inverse_;
  Polynomial polynomial_;
};

}  // namespace

std::unique_ptr<PreconditionerOperator> make_chebyshev(const PreconditionerInput& input) {
  return std::make_unique<ChebyshevPreconditioner>(input);
}

}  // namespace spsolve::krylov
