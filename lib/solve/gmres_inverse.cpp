#include "solve/gmres_inverse.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vectors/columns.hpp"

namespace spsolve::inline solve {

GmresInverse::GmresInverse(SystemMatrix& matrix, const Equilibration& scaling,
                           LinearOperator& factors)
    : matrix_(matrix),
      scaling_(scaling),
      scaled_(ScaledOperator::scaled(matrix, scaling)),
      factors_(factors),
      infinity_norm_(matrix.infinity_norm(scaling)) {}

std::unique_ptr<Vectors> GmresInverse::right_hand_sides(const Vectors* first) {
  if (first != nullptr) return copy_of(*first);
  const std::unique_ptr<Vectors> ones = matrix_.vectors(1);
  ones->fill(1);
  std::unique_ptr<Vectors> b = matrix_.vectors(1);
  scaled_.apply(*ones, *b);
  return b;
}

GmresInverse::Trial GmresInverse::validate(const Vectors* first, const GmresBounds& bounds) {
  Trial trial{right_hand_sides(first), {}};
  trial.outcome = solve_by_gmres(scaled_, factors_, infinity_norm_, *trial.x, bounds);
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

std::optional<Probe> GmresInverse::probe_factors() {
  ScaledOperator inverse = ScaledOperator::unscaled(factors_, matrix_, scaling_);
  Probe probe = probe_known_solution(
      matrix_, inverse, {.least_steps = Probe::steps_of_near, .largest_part = Probe::part_of_near});
  probe.by_factors = true;
  if (!probe.near(matrix_.order())) return std::nullopt;
  near_ = true;
  // The error that steps leave is a part of C^-1 x, which may be a larger one of x; more of them
  // than this takes are no sooner done than GMRES.
  constexpr double soon = 0.25;
  if (!scaling_.scales && probe.slowest <= soon) contraction_ = probe.slowest;
  return probe;
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
  uncorrected_part_ = 0;
  correction_residuals_ = maxima(f);
  copy(f, y);
  const GmresOutcome outcome = solve_by_gmres(matrix, inverse, norm, y, {.part = enough});
  const std::vector<double> sizes = maxima(y);
  for (std::size_t c = 0; c < correction_residuals_.size(); ++c) {
    correction_residuals_[c] =
        outcome.backward_error * (norm * sizes[c] + correction_residuals_[c]);
  }
}

void GmresInverse::correct(LinearOperator& matrix, LinearOperator& inverse, const Vectors& f,
                           Vectors& y) {
  constexpr double enough = 1e-4;
  const std::vector<double> plus(static_cast<std::size_t>(f.columns()), 1), minus(plus.size(), -1);
  correction_residuals_.clear();
  inverse.apply(f, y);
  for (uncorrected_part_ = *contraction_; uncorrected_part_ > enough;
       uncorrected_part_ *= *contraction_) {
    Vectors &residual = residual_.like(f), &step = step_.like(f);
    matrix.apply(y, residual);
    residual.combine(minus, plus, f);
    inverse.apply(residual, step);
    add_multiple(1, step, y);
  }
  residual_.finish();
  step_.finish();
}

void GmresInverse::apply(const Vectors& x, Vectors& y) {
  if (near_ && purpose_ == SolvePurpose::estimate) return factors_.apply(x, y);
  if (contraction_ && purpose_ == SolvePurpose::correction) return correct(scaled_, factors_, x, y);
  solve(scaled_, factors_, infinity_norm_, enough(scaling_.rows, row_spread_), x, y);
}

void GmresInverse::apply_transposed(const Vectors& x, Vectors& y) {
  if (near_ && purpose_ == SolvePurpose::estimate) return factors_.apply_transposed(x, y);
  Transposed matrix(scaled_), inverse(factors_);
  if (contraction_ && purpose_ == SolvePurpose::correction) return correct(matrix, inverse, x, y);
  if (!one_norm_) one_norm_ = matrix_.one_norm(scaling_);
  solve(matrix, inverse, *one_norm_, enough(scaling_.columns, column_spread_), x, y);
}

}  // namespace spsolve::solve
