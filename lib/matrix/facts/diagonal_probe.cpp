#include "matrix/facts/diagonal_probe.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "core/worth_threads.hpp"
#include "matrix/random.hpp"

namespace spsolve::inline matrix {

namespace {

using Vector = std::vector<double>;

double dot(const Vector& x, const Vector& y) {
  double sums[4] = {};
  const std::size_t n = x.size(), whole = n / 4 * 4;
  for (std::size_t i = 0; i < whole; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += x[i + k] * y[i + k];
  }
  for (std::size_t i = whole; i < n; ++i) sums[0] += x[i] * y[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// 1 / a_ii, or nothing where one of them is no number.
Vector inverse_diagonal(const Csr<double>& matrix) {
  Vector inverse(static_cast<std::size_t>(matrix.rows));
  for (Index i = 0; i < matrix.rows; ++i) {
    const auto columns = matrix.row_columns(i);
    double diagonal = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (columns[k] == i) diagonal += matrix.row_values(i)[k];
    }
    inverse[i] = 1 / diagonal;
    if (diagonal == 0 || !std::isfinite(inverse[i])) return {};
  }
  return inverse;
}

/// y <- D^-1 A x
void multiply(const Csr<double>& matrix, const Vector& inverse, const Vector& x, Vector& y) {
#pragma omp parallel for schedule(static) if (worth_threads(matrix.nonzeros()))
  for (Index i = 0; i < matrix.rows; ++i) {
    const auto columns = matrix.row_columns(i);
    const auto values = matrix.row_values(i);
    double sum = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) sum += values[k] * x[columns[k]];
    y[i] = inverse[i] * sum;
  }
}

/// Random numbers in [-1, 1), scaled to the norm 1.
Vector random_start(Index rows) {
  Vector start(static_cast<std::size_t>(rows));
  std::mt19937_64 bits(23);
  for (double& value : start) value = symmetric_interval(bits());
  const double scale = 1 / std::sqrt(dot(start, start));
  for (double& value : start) value *= scale;
  return start;
}

}  // namespace

double DiagonalProbe::rate() const {
  return steps == 0 ? 1 : std::pow(residual, 1.0 / steps);
}

DiagonalProbe probe_diagonal(const Csr<double>& matrix, int most_steps, double hopeless) {
  constexpr int first_steps = 3;
  constexpr double nearly_zero = 1e-14;
  DiagonalProbe probe;
  const Vector inverse = inverse_diagonal(matrix);
  if (inverse.empty()) return probe;
  std::vector<Vector> basis{random_start(matrix.rows)};
  Vector cosines, sines;
  while (probe.steps < most_steps) {
    Vector next(inverse.size());
    multiply(matrix, inverse, basis.back(), next);
    Vector column;  // of the Hessenberg matrix
    for (const Vector& before : basis) {
      const double along = dot(before, next);
      for (std::size_t i = 0; i < next.size(); ++i) next[i] -= along * before[i];
      column.push_back(along);
    }
    const double height = std::sqrt(dot(next, next));
    // Rotations make it a column of a triangle; what the last one leaves is the residual's.
    for (std::size_t k = 0; k + 1 < column.size(); ++k) {
      const double upper = column[k], lower = column[k + 1];
      column[k] = cosines[k] * upper + sines[k] * lower;
      column[k + 1] = cosines[k] * lower - sines[k] * upper;
    }
    const double length = std::hypot(column.back(), height);
    if (!std::isfinite(length) || length == 0) return {};
    cosines.push_back(column.back() / length);
    sines.push_back(height / length);
    probe.residual *= std::abs(sines.back());
    ++probe.steps;
    if (probe.residual <= nearly_zero) break;
    if (probe.steps == first_steps && probe.residual > hopeless) break;
    for (double& value : next) value /= height;
    basis.push_back(std::move(next));
  }
  return probe;
}

}  // namespace spsolve::matrix
