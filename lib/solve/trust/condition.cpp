#include "solve/trust/condition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/extremes.hpp"
#include "solve/operators/equilibrate.hpp"
#include "solve/trust/one_norm.hpp"

namespace spsolve::inline solve {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// h, a power of two, such that the rows of h^2 A are small as far as others are large: of the
/// largest entry of each row, the largest one is as far above 1 as the smallest is below. Products
/// with h^2 A and with its inverse then neither overflow nor vanish, whatever the scale of A, as
/// far as rows of such different scales leave room; h^2 itself may. Collective.
double half_of_scale(const SystemMatrix& matrix) {
  const Spread rows = scales_of(matrix).of_rows;
  if (rows.most == 0 || !std::isfinite(rows.most)) return 1;
  return std::ldexp(1.0, -((std::ilogb(rows.most) + std::ilogb(rows.least)) / 4));
}

/// component_weights() where (|A| |x| + |b|) is known, and neither that nor x is near the ends of
/// the range; else none.
std::unique_ptr<Vectors> weights_from(std::unique_ptr<Vectors> magnitudes,
                                      const std::vector<double>& sizes, double h) {
  constexpr double far = 0x1p200;
  const auto is_near = [](double size) { return size < far && 1 / size < far; };
  if (magnitudes == nullptr || !is_near(h) || !std::ranges::all_of(sizes, is_near)) return nullptr;
  // Two halves are added up.
  std::vector<double> factors;
  for (const double size : sizes) factors.push_back(h / size * h / 2);
  magnitudes->scale_columns(factors);
  std::unique_ptr<Vectors> weights = magnitudes->similar(1);
  weights->take_largest(*magnitudes, *magnitudes);
  return weights;
}

/// w = (|A| |x| + |b|) h^2 / ||x||, the largest of all right-hand sides, which bounds each of them;
/// one column. Infinite where x is zero and b is not.
std::unique_ptr<Vectors> component_weights(SystemMatrix& matrix, const Vectors& b, const Vectors& x,
                                           double h, std::unique_ptr<Vectors> magnitudes) {
  const std::vector<double> sizes = maxima(x);
  if (auto weights = weights_from(std::move(magnitudes), sizes, h)) return weights;
  // Powers of two bring x near 1 exactly, however small it is; the rest is divided by at the end.
  std::vector<double> factors;
  for (const double size : sizes) {
    const bool usable = size > 0 && std::isfinite(size);
    factors.push_back(usable ? std::ldexp(1.0, std::clamp(-std::ilogb(size), -1022, 1022)) : 0.0);
  }
  std::unique_ptr<Vectors> relative = copy_of(x), product = x.similar(x.columns());
  relative->scale_columns(factors);
  matrix.apply_magnitudes(h, *relative, *product);
  // The rest to divide by is at least 1 and below 2; b is scaled by the powers of two as well.
  std::vector<double> rest, of_scale(sizes.size(), h);
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    rest.push_back(sizes[c] == 0 ? 0.0 : 1 / (sizes[c] * factors[c]));
  }
  product->scale_columns(rest);
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    // Any b next to an x of zeros overflows.
    constexpr double most = 0x1p1022;
    rest[c] *= h;
    if (sizes[c] == 0) rest[c] = factors[c] = of_scale[c] = most;
  }
  Vectors& right = *relative;
  copy(b, right);
  for (const auto& step : {h < 1 ? of_scale : factors, h < 1 ? factors : of_scale, rest}) {
    right.scale_columns(step);
  }
  std::unique_ptr<Vectors> weights = x.similar(1);
  weights->take_largest(*product, right);
  return weights;
}

/// |h^2 A| e for e = (1, ..., 1).
std::unique_ptr<Vectors> row_sums(SystemMatrix& matrix, double h) {
  const std::unique_ptr<Vectors> ones = matrix.vectors(1);
  std::unique_ptr<Vectors> sums = matrix.vectors(1);
  ones->fill(1);
  matrix.apply_magnitudes(h, *ones, *sums);
  return sums;
}

/// The largest of numbers >= 0, or nan where one is; 0 of none.
double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = larger(largest, value);
  return largest;
}

/// The smallest of numbers, infinite of none.
double smallest_of(const std::vector<double>& values) {
  double smallest = infinite;
  for (const double value : values) smallest = std::min(smallest, value);
  return smallest;
}

/// The row sums of h^2 A as numbers: without a product where it was measured by A and nothing of
/// that is near the ends of the range. Collective.
SystemMatrix::RowSums scaled_row_sums(SystemMatrix& matrix, double h) {
  constexpr double far = 0x1p900;
  if (const auto& known = matrix.row_sums();
      known && known->most < far && known->inverse_of_least < far && h < far && 1 / h < far) {
    return {known->most * h * h, known->inverse_of_least / h / h};
  }
  const Dense<double> of_rows = own_rows(*row_sums(matrix, h));
  return {all_maximum(matrix.team(), largest_of(of_rows.values)),
          1 / -all_maximum(matrix.team(), -smallest_of(of_rows.values))};
}

/// No condition number is below 1. An estimate from below may be, by a little; one far below is of
/// solves that overflowed, vanished or did not converge, and tells nothing.
double possible(double estimate) {
  constexpr double believable = 0.01;
  return std::isfinite(estimate) && estimate >= believable ? std::max(estimate, 1.0) : infinite;
}

}  // namespace

Condition estimate_condition(SystemMatrix& matrix, const Vectors& b, const Vectors& x,
                             LinearOperator& inverse, std::unique_ptr<Vectors> magnitudes,
                             double least_inverse_norm) {
  if (matrix.order() == 0) return {};
  // Neither condition number changes where A and b are multiplied by h^2.
  const double h = half_of_scale(matrix);
  // Row i of A times A^-1 is e_i^T: ||A^-1|| is 1 / sum over j of |a_ij| at least. Solves that
  // iterate may not see a row that is small compared with others.
  auto [norm, inverse_norm] = scaled_row_sums(matrix, h);
  Transposed transposed(inverse);
  std::unique_ptr<Vectors> weights = component_weights(matrix, b, x, h, std::move(magnitudes));
  const bool is_zero = maxima(*weights)[0] == 0;
  // (h^2 A)^-T: half of the scale goes into the right-hand sides, half into the solutions.
  const std::vector<double> norms =
      estimate_one_norms(std::move(weights), transposed, {.factor = 1 / h, .with_ones = true});
  inverse_norm = larger(inverse_norm, norms[0]);
  double componentwise = is_zero ? 0 : possible(norms[1]);
  constexpr double far_off = 3;
  if (const double least = least_inverse_norm / h / h; least > far_off * inverse_norm) {
    inverse_norm = least;
    if (!is_zero) componentwise = larger(componentwise, 2 * norm * least);
  }
  return {possible(norm * inverse_norm), componentwise, false, inverse_norm * h * h};
}

double error_of_residuals(SystemMatrix& matrix, LinearOperator& inverse,
                          const std::vector<double>& w, double power) {
  if (all_maximum(matrix.team(), largest_of(w)) == 0) return 0;
  const double h = half_of_scale(matrix);
  std::unique_ptr<Vectors> weights = matrix.vectors(1);
  weights->write_rows({0, matrix.own().size()}, w);
  Transposed transposed(inverse);
  const double norm = estimate_one_norms(std::move(weights), transposed, {.factor = 1 / h}).front();
  if (!(norm > 0) || !std::isfinite(norm)) return infinite;
  // Their product may be a number where parts of it are none.
  return std::exp2(std::log2(norm) + 2 * std::log2(h) + power);
}

double condition_of_any(SystemMatrix& matrix, LinearOperator& inverse) {
  const double h = half_of_scale(matrix);
  Transposed transposed(inverse);
  const double norm =
      2 * estimate_one_norms(row_sums(matrix, h), transposed, {.factor = 1 / h}).front();
  return std::isfinite(norm) ? norm : infinite;
}

}  // namespace spsolve::solve
