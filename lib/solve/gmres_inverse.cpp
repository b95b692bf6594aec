#include "solve/gmres_inverse.hpp"

namespace spsolve {

GmresInverse::GmresInverse(SystemMatrix& matrix, const Equilibration& scaling,
                           LinearOperator& factors)
    : matrix_(matrix),
      scaled_(ScaledOperator::scaled(matrix, scaling)),
      factors_(factors),
      norms_(matrix.norms(scaling)) {}

std::unique_ptr<Vectors> GmresInverse::right_hand_sides(const Vectors* first) {
  if (first != nullptr) return copy_of(*first);
  const std::unique_ptr<Vectors> ones = matrix_.vectors(1);
  ones->fill(1);
  std::unique_ptr<Vectors> b = matrix_.vectors(1);
  scaled_.apply(*ones, *b);
  return b;
}

GmresInverse::Trial GmresInverse::try_out(const Vectors* first) {
  Trial trial{right_hand_sides(first), {}};
  trial.outcome = solve_by_gmres(scaled_, factors_, norms_.infinity, *trial.x);
  return trial;
}

GmresInverse::Trial GmresInverse::try_factors_alone(const Vectors* first) {
  const std::unique_ptr<Vectors> b = right_hand_sides(first);
  Trial trial{b->similar(b->columns()), {}};
  factors_.apply(*b, *trial.x);
  trial.outcome.backward_error = backward_error(scaled_, norms_.infinity, *b, *trial.x);
  return trial;
}

void GmresInverse::apply(const Vectors& x, Vectors& y) {
  copy(x, y);
  solve_by_gmres(scaled_, factors_, norms_.infinity, y);
}

void GmresInverse::apply_transposed(const Vectors& x, Vectors& y) {
  copy(x, y);
  Transposed matrix(scaled_), inverse(factors_);
  solve_by_gmres(matrix, inverse, norms_.one, y);
}

}  // namespace spsolve
