#include "sparse/scaling.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

namespace spsolve {

namespace {

/// The largest magnitude of each row and of each column of R A C.
struct Maxima {
  std::vector<double> rows, columns;
};

/// most <- max(most, value), whichever threads do so.
void raise(double& most, double value) {
  const std::atomic_ref<double> place(most);
  double present = place.load(std::memory_order_relaxed);
  while (value > present && !place.compare_exchange_weak(present, value)) {
  }
}

/// Of a symmetric R A C, columns are as rows.
Maxima maxima_of(const Csr<double>& matrix, const std::vector<double>& r,
                 const std::vector<double>& c, bool symmetric) {
  Maxima maxima{std::vector<double>(matrix.rows, 0),
                std::vector<double>(symmetric ? 0 : matrix.rows, 0)};
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < matrix.rows; ++i) {
    double most = 0;
    for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      const LocalIndex j = matrix.column_indices[k];
      const double magnitude = std::abs(matrix.values[k]) * r[i] * c[j];
      most = std::max(most, magnitude);
      if (!symmetric) raise(maxima.columns[j], magnitude);
    }
    maxima.rows[i] = most;
  }
  return maxima;
}

/// The power of two nearest to 1 / sqrt(value), or to 1 / value.
double inverse_power(double value, bool root) {
  if (!(value > 0) || !std::isfinite(value)) return 1;
  const double exponent = std::log2(value) / (root ? 2 : 1);
  return std::ldexp(1.0, std::clamp(-static_cast<int>(std::lround(exponent)), -1000, 1000));
}

/// Whether the largest entries of rows lie far apart, or near where `precision` ends.
bool is_worth_it(const std::vector<double>& maxima, Precision precision) {
  double most = 0, least = std::numeric_limits<double>::infinity();
  for (const double value : maxima) {
    if (value == 0) continue;
    most = std::max(most, value);
    least = std::min(least, value);
  }
  const double range = precision == Precision::float64 ? 0x1p900 : 0x1p60;
  return least <= 0.1 * most || most > range || most < 1 / range;
}

/// Three rounds of Ruiz' scaling in the maximum norm (2001), which keeps symmetric matrices
/// symmetric.
void scale_symmetrically(const Csr<double>& matrix, std::vector<double>& s) {
  for (int round = 0; round < 3; ++round) {
    const Maxima maxima = maxima_of(matrix, s, s, true);
    for (Index i = 0; i < matrix.rows; ++i) s[i] *= inverse_power(maxima.rows[i], true);
  }
}

void scale_by_diagonal(const Csr<double>& matrix, std::vector<double>& s) {
  for (Index i = 0; i < matrix.rows; ++i) {
    const auto columns = matrix.row_columns(i);
    const auto found = std::lower_bound(columns.begin(), columns.end(), static_cast<LocalIndex>(i));
    // New values of a pattern may have left a zero there, which is not stored.
    const bool is_there = found != columns.end() && *found == i;
    s[i] = is_there ? inverse_power(matrix.row_values(i)[found - columns.begin()], true) : 1;
  }
}

}  // namespace

Dense<double> scale_factors(const Csr<double>& matrix, const SparseAnalysis& analysis,
                            AutoSwitch wanted, Precision precision) {
  const Index n = matrix.rows;
  std::vector<double> r(n, 1), c(n, 1);
  const bool matched = !analysis.row_scale.empty();
  if (matched) {
    r = analysis.row_scale;
    c = analysis.column_scale;
  }
  const bool symmetric = analysis.kind != Factorization::lu && !matched;
  Maxima maxima = maxima_of(matrix, r, c, symmetric);
  const bool worth_it = is_worth_it(maxima.rows, precision) ||
                        (!symmetric && is_worth_it(maxima.columns, precision));
  if (!matched && wanted == AutoSwitch::automatic && !worth_it) return {};
  if (analysis.kind == Factorization::lu) {
    if (!matched || worth_it) {
      for (Index i = 0; i < n; ++i) r[i] *= inverse_power(maxima.rows[i], false);
      maxima = maxima_of(matrix, r, c, false);
      for (Index j = 0; j < n; ++j) c[j] *= inverse_power(maxima.columns[j], false);
    }
  } else {
    if (analysis.kind == Factorization::cholesky) {
      scale_by_diagonal(matrix, r);
    } else {
      scale_symmetrically(matrix, r);
    }
    c = r;
  }
  Dense<double> factors(n, 2);
  for (Index i = 0; i < n; ++i) {
    factors(i, 0) = r[i];
    factors(i, 1) = c[i];
  }
  return factors;
}

double largest_magnitude(const std::vector<double>& values) {
  double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest)
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double magnitude = std::abs(values[k]);
    largest = magnitude <= std::numeric_limits<double>::max()
                  ? std::max(largest, magnitude)
                  : std::numeric_limits<double>::infinity();
  }
  return largest;
}

}  // namespace spsolve
