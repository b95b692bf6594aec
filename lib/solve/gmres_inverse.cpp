#include "solve/gmres_inverse.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vectors/columns.hpp"

namespace spsolve {

GmresInverse::GmresInverse(SystemMatrix& matrix, const Equilibration& scaling,
                           LinearOperator& factors, bool rounded)
    : matrix_(matrix),
      scaling_(scaling),
      scaled_(ScaledOperator::scaled(matrix, scaling)),
      factors_(factors),
      rounded_(rounded),
      infinity_norm_(matrix.infinity_norm(scaling)) {}

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
  trial.outcome = solve_by_gmres(scaled_, factors_, infinity_norm_, *trial.x);
  return trial;
}

GmresInverse::Trial GmresInverse::try_factors_alone(const Vectors* first) {
  const std::unique_ptr<Vectors> made = first == nullptr ? right_hand_sides(first) : nullptr;
  const Vectors& b = first == nullptr ? *made : *first;
  Trial trial{b.similar(b.columns()), {}};
  factors_.apply(b, *trial.x);
  trial.outcome.backward_error = backward_error(scaled_, infinity_norm_, b, *trial.x);
  return trial;
}

bool GmresInverse::is_near() {
  if (near_) return *near_;
  near_ = rounded_ && !scaling_.scales;
  if (!*near_) return false;
  constexpr int steps = 3;
  constexpr double most = 0.1;
  std::unique_ptr<Vectors> error = matrix_.vectors(1), product = matrix_.vectors(1),
                           found = matrix_.vectors(1);
  error->fill_random(23);
  double before = norms(*error).front();
  for (int step = 0; step < steps && *near_ && before > 0; ++step) {
    scaled_.apply(*error, *product);
    factors_.apply(*product, *found);
    add_multiple(-1, *found, *error);
    const double after = norms(*error).front();
    near_ = after <= most * before;
    before = after;
  }
  return *near_;
}

double GmresInverse::enough(const ScaleFactors& factors, std::optional<double>& spread) {
  if (purpose_ != SolvePurpose::estimate) return 0;
  if (!spread) {
    spread = 1;
    if (scaling_.scales) {
      constexpr double none = std::numeric_limits<double>::infinity();
      double smallest = none, largest = 0;
      for (const double factor : factors.on_host()) {
        smallest = std::min(smallest, factor);
        largest = std::max(largest, factor);
      }
      smallest = -all_maximum(matrix_.team(), -smallest);
      spread = smallest / all_maximum(matrix_.team(), largest);
    }
  }
  // In n entries ||r||_1 is sqrt(n) ||r||_2 at most, and ||f||_1 is ||f||_2 at least.
  return 0.1 * *spread / std::sqrt(static_cast<double>(matrix_.order()));
}

void GmresInverse::solve(LinearOperator& matrix, LinearOperator& inverse, double norm,
                         double enough, const Vectors& f, Vectors& y) {
  left_ = maxima(f);
  copy(f, y);
  const GmresOutcome outcome = solve_by_gmres(matrix, inverse, norm, y, enough);
  const std::vector<double> sizes = maxima(y);
  for (std::size_t c = 0; c < left_.size(); ++c) {
    left_[c] = outcome.backward_error * (norm * sizes[c] + left_[c]);
  }
}

void GmresInverse::apply(const Vectors& x, Vectors& y) {
  if (purpose_ == SolvePurpose::estimate && is_near()) return factors_.apply(x, y);
  solve(scaled_, factors_, infinity_norm_, enough(scaling_.rows, row_spread_), x, y);
}

void GmresInverse::apply_transposed(const Vectors& x, Vectors& y) {
  if (purpose_ == SolvePurpose::estimate && is_near()) return factors_.apply_transposed(x, y);
  if (!one_norm_) one_norm_ = matrix_.one_norm(scaling_);
  Transposed matrix(scaled_), inverse(factors_);
  solve(matrix, inverse, *one_norm_, enough(scaling_.columns, column_spread_), x, y);
}

}  // namespace spsolve
