#include "sparse/scaling.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
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

/// The power of two nearest to 1 / sqrt(value), or to 1 / value; 1 where there is none. Without a
/// logarithm: those of a million numbers take longer than their elimination may.
double inverse_power(double value, bool root) {
  if (!(value > 0) || !std::isfinite(value)) return 1;
  int exponent = 0;
  const bool beyond = std::frexp(value, &exponent) >= std::numbers::sqrt2 / 2;
  --exponent;  // 2^exponent <= value < 2^(exponent + 1), `beyond` sqrt(2) 2^exponent or not
  const int power = root ? (exponent + 1) >> 1 : exponent + (beyond ? 1 : 0);
  constexpr int bias = 1023, mantissa_bits = 52;
  return std::bit_cast<double>(static_cast<std::uint64_t>(std::clamp(-power, -1000, 1000) + bias)
                               << mantissa_bits);
}

/// Whether the largest entries of rows lie far apart, or near where `precision` ends.
bool is_worth_it(const std::vector<double>& maxima, Precision precision) {
  double most = 0, least = std::numeric_limits<double>::infinity();
#pragma omp parallel for schedule(static) reduction(max : most) reduction(min : least)
  for (std::size_t i = 0; i < maxima.size(); ++i) {
    if (maxima[i] == 0) continue;
    most = std::max(most, maxima[i]);
    least = std::min(least, maxima[i]);
  }
  const double range = precision == Precision::float64 ? 0x1p900 : 0x1p60;
  return least <= 0.1 * most || most > range || most < 1 / range;
}

/// factors_i <- factors_i times the inverse power of two of maxima_i.
void multiply_by_inverses(const std::vector<double>& maxima, bool root,
                          std::vector<double>& factors) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < factors.size(); ++i) factors[i] *= inverse_power(maxima[i], root);
}

/// Three rounds of Ruiz' scaling in the maximum norm (2001), which keeps symmetric matrices
/// symmetric.
void scale_symmetrically(const Csr<double>& matrix, std::vector<double>& s) {
  for (int round = 0; round < 3; ++round) {
    multiply_by_inverses(maxima_of(matrix, s, s, true).rows, true, s);
  }
}

void scale_by_diagonal(const Csr<double>& matrix, std::vector<double>& s) {
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < matrix.rows; ++i) {
    const auto columns = matrix.row_columns(i);
    const auto found = std::lower_bound(columns.begin(), columns.end(), static_cast<LocalIndex>(i));
    // New values of a pattern may have left a zero there, which is not stored.
    const bool is_there = found != columns.end() && *found == i;
    s[i] = is_there ? inverse_power(matrix.row_values(i)[found - columns.begin()], true) : 1;
  }
}

}  // namespace

void find_scale_factors(const Csr<double>& matrix, const SparseAnalysis& analysis,
                        AutoSwitch wanted, Precision precision, Equilibration& scaling) {
  std::vector<double>&r = scaling.rows, &c = scaling.columns;
  const bool matched = !analysis.row_scale.empty();
  if (matched) {
    r = analysis.row_scale;
    c = analysis.column_scale;
  } else {
    r.assign(matrix.rows, 1);
    c.assign(matrix.rows, 1);
  }
  const bool symmetric = analysis.kind != Factorization::lu && !matched;
  const Maxima maxima = maxima_of(matrix, r, c, symmetric);
  const bool worth_it =
      is_worth_it(maxima.rows, precision) || (!symmetric && is_worth_it(maxima.columns, precision));
  scaling.scales = matched || wanted != AutoSwitch::automatic || worth_it;
  if (!scaling.scales) {
    r.clear();
    c.clear();
  } else if (analysis.kind != Factorization::lu) {
    if (analysis.kind == Factorization::cholesky) {
      scale_by_diagonal(matrix, r);
    } else {
      scale_symmetrically(matrix, r);
    }
    c = r;
  } else if (!matched || worth_it) {
    multiply_by_inverses(maxima.rows, false, r);
    multiply_by_inverses(maxima_of(matrix, r, c, false).columns, false, c);
  }
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
