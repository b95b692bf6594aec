#include "solve/trust/unmeasured_error.hpp"

#include <algorithm>
#include <cmath>

#include "core/extremes.hpp"
#include "core/worth_threads.hpp"
#include "solve/operators/equilibrate.hpp"
#include "solve/operators/right_hand_side_scaling.hpp"

namespace spsolve::inline solve {

namespace {

/// The exponent of the smallest number.
constexpr int least_exponent = -1074;

/// The smallest of sizes that are not 0, infinite where there is none.
double smallest_of(const std::vector<double>& sizes) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const double size : sizes) {
    if (size > 0) smallest = std::min(smallest, size);
  }
  return smallest;
}

/// How many terms of each own row are below 2^-968 without being 0, the most of all columns.
std::vector<double> count_small_terms(const SystemMatrix& matrix, const Vectors& x) {
  const Dense<double> own = own_rows(x), halo = matrix.halo_of(x);
  const Csr<double>& rows = matrix.local_rows();
  std::vector<double> counts(static_cast<std::size_t>(rows.rows));
#pragma omp parallel for schedule(static) if (worth_threads(rows.rows))
  for (Index i = 0; i < rows.rows; ++i) {
    for (Index c = 0; c < own.columns; ++c) {
      const auto columns = rows.row_columns(i);
      const auto values = rows.row_values(i);
      double count = 0;
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const Index j = columns[k];
        const double element = j < own.rows ? own(j, c) : halo(j - own.rows, c);
        const bool is_small = std::abs(values[k] * element) < 0x1p-968;
        if (is_small && values[k] != 0 && element != 0) ++count;
      }
      counts[i] = std::max(counts[i], count);
    }
  }
  return counts;
}

}  // namespace

double UnmeasuredError::of_rounding(const std::vector<double>& sizes) {
  const double smallest = smallest_of(sizes);
  return smallest < 0x1p-1022 ? 0x1p-1074 / smallest / 2 : 0.0;
}

double UnmeasuredError::of_underflow(SystemMatrix& matrix, const Vectors& x,
                                     const std::vector<double>& sizes, const Condition& condition,
                                     LinearOperator& inverse) {
  const double smallest = smallest_of(sizes);
  if (!std::isfinite(smallest)) return 0;
  const double power = least_exponent - std::log2(smallest);
  const auto terms = static_cast<double>(matrix.order());
  const double most = std::exp2(std::log2(condition.inverse_norm) + std::log2(terms) + power);
  if (most <= unit_roundoff) return 0;
  return error_of_residuals(matrix, inverse, count_small_terms(matrix, x), power);
}

double UnmeasuredError::of_corrections(SystemMatrix& matrix, const std::vector<double>& left,
                                       const std::vector<double>* rows,
                                       const std::vector<double>& sizes, const Condition& condition,
                                       LinearOperator& inverse) {
  double part = 0;
  for (std::size_t c = 0; c < left.size(); ++c) {
    if (left[c] != 0) part = larger(part, left[c] / sizes[c]);
  }
  part = infinite_if_nan(part);
  if (part == 0) return 0;
  std::vector<double> weights;
  if (rows != nullptr) weights = inverses_of(*rows);
  double largest = rows != nullptr ? 0 : 1;
  for (const double weight : weights) largest = std::max(largest, weight);
  largest = all_maximum(matrix.team(), largest);
  const double power = std::log2(part);
  const double most = std::exp2(std::log2(condition.inverse_norm) + std::log2(largest) + power);
  if (rows == nullptr || most <= unit_roundoff) return infinite_if_nan(most);
  return std::min(most, error_of_residuals(matrix, inverse, weights, power));
}

double UnmeasuredError::of_float(SystemMatrix& matrix, const Condition& condition) {
  constexpr double float_roundoff = 0x1p-24;
  const double most = condition.componentwise > 0
                          ? condition.componentwise
                          : condition.inverse_norm * matrix.infinity_norm({});
  return infinite_if_nan(unit_roundoff * float_roundoff * most);
}

}  // namespace spsolve::solve
