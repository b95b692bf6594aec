#include "solve/operators/equilibrate.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/extremes.hpp"
#include "core/over_blocks.hpp"
#include "vectors/multivector/host_vectors.hpp"

namespace spsolve::inline solve {

namespace {

/// The exponents of the powers of two that bring each of `largest` into [1/2, 1), within the range
/// of double; 0 for a zero.
std::vector<std::int16_t> exponents_for(const std::vector<double>& largest) {
  std::vector<std::int16_t> exponents(largest.size());
  for (std::size_t i = 0; i < largest.size(); ++i) {
    if (!(largest[i] > 0) || !std::isfinite(largest[i])) continue;
    int exponent = 0;
    std::frexp(largest[i], &exponent);
    exponents[i] = static_cast<std::int16_t>(std::clamp(-exponent, -1022, 1022));
  }
  return exponents;
}

/// On all ranks. Collective.
Spread spread_of(Team& team, const std::vector<double>& values) {
  Spread spread;
  for (const double value : values) {
    if (value == 0) continue;
    spread.most = std::max(spread.most, value);
    spread.least = std::min(spread.least, value);
  }
  std::vector<double> both{spread.most, -spread.least};
  all_maximum(team, both);
  return {both[0], -both[1]};
}

/// Whether entries of that size bring an elimination in that precision near overflow or underflow.
bool is_extreme(double largest, Precision precision) {
  constexpr double margin = 0x1p54;
  const bool reduced = precision != Precision::float64;
  const double highest =
      reduced ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  const double lowest =
      reduced ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  return largest > highest / margin || (largest > 0 && largest < lowest * margin);
}

}  // namespace

std::vector<double> powers_of_two(const std::vector<std::int16_t>& exponents, int sign) {
  constexpr int bias = 1023, digits = 52;
  std::vector<double> powers(exponents.size());
  for (std::size_t i = 0; i < powers.size(); ++i) {
    powers[i] = std::bit_cast<double>(std::int64_t{bias + sign * exponents[i]} << digits);
  }
  return powers;
}

const MatrixScales& scales_of(const SystemMatrix& matrix) {
  if (matrix.scales() != nullptr) return *matrix.scales();
  auto scales = std::make_shared<MatrixScales>();
  std::vector<double> largest = matrix.row_maxima().values;
  scales->rows = exponents_for(largest);
  scales->of_rows = spread_of(matrix.team(), largest);
  largest = matrix.column_maxima(powers_of_two(scales->rows)).values;
  scales->columns = exponents_for(largest);
  scales->of_columns = spread_of(matrix.team(), largest);
  matrix.scales() = std::move(scales);
  return *matrix.scales();
}

Equilibration equilibration_of(const SystemMatrix& matrix, AutoSwitch wanted, Precision precision) {
  if (wanted == AutoSwitch::off) return {};
  const MatrixScales& scales = scales_of(matrix);
  const bool worth_it = scales.of_rows.is_far() || is_extreme(scales.of_rows.most, precision) ||
                        scales.of_columns.is_far();
  if (wanted == AutoSwitch::automatic && !worth_it) return {};
  return {true, powers_of_two(scales.rows), powers_of_two(scales.columns)};
}

ScaledOperator::ScaledOperator(LinearOperator& of, const SystemMatrix& matrix,
                               const ScaleFactors& first, const ScaleFactors& second, bool scales)
    : of_(of) {
  if (!scales) return;
  first_ = first.shared_vector(matrix);
  second_ = second.shared_vector(matrix);
}

ScaledOperator ScaledOperator::scaled(SystemMatrix& matrix, const Equilibration& scaling) {
  return {matrix, matrix, scaling.columns, scaling.rows, scaling.scales};
}

ScaledOperator ScaledOperator::unscaled(LinearOperator& inverse, const SystemMatrix& matrix,
                                        const Equilibration& scaling) {
  return {inverse, matrix, scaling.rows, scaling.columns, scaling.scales};
}

void ScaledOperator::apply(const Vectors& x, Vectors& y) {
  if (first_ == nullptr) return of_.apply(x, y);
  Vectors& between = between_.like(x);
  between.add_scaled_rows(0, 1, *first_, x);
  of_.apply(between, y);
  y.scale_rows(*second_);
  between_.finish();
}

void ScaledOperator::apply_transposed(const Vectors& x, Vectors& y) {
  if (first_ == nullptr) return of_.apply_transposed(x, y);
  Vectors& between = between_.like(x);
  between.add_scaled_rows(0, 1, *second_, x);
  of_.apply_transposed(between, y);
  y.scale_rows(*first_);
  between_.finish();
}

std::vector<double> residual_maxima(SystemMatrix& matrix, const Equilibration& scaling,
                                    const Vectors& f, const Vectors& y) {
  const Index columns = f.columns();
  std::vector<double> largest(static_cast<std::size_t>(columns));
  if (matrix.team().size() > 1 || &matrix.memory() != &host_vector_memory()) {
    const std::unique_ptr<Vectors> residual = f.similar(columns);
    ScaledOperator::scaled(matrix, scaling).apply(y, *residual);
    residual->combine(std::vector<double>(largest.size(), -1),
                      std::vector<double>(largest.size(), 1), f);
    return maxima(*residual);
  }
  const Csr<double>& rows = matrix.local_rows();
  const double* const r = scaling.scales ? scaling.rows.on_host().data() : nullptr;
  const double* const c = scaling.scales ? scaling.columns.on_host().data() : nullptr;
  const double *const right = on_host(f).row(0), *const x = on_host(y).row(0);
  for (Index column = 0; column < columns; ++column) {
    over_blocks(
        rows.rows, std::span(&largest[static_cast<std::size_t>(column)], 1),
        [&](Index first, Index last, double* of_block) {
          for (Index i = first; i < last; ++i) {
            double sum = 0;
            for (Index k = rows.row_offsets[i]; k < rows.row_offsets[i + 1]; ++k) {
              const Index j = rows.column_indices[k];
              const double element = x[j * columns + column];
              sum += rows.values[k] * (c != nullptr ? c[j] * element : element);
            }
            const double row_factor = r != nullptr ? r[i] : 1;
            *of_block = larger(*of_block, std::abs(right[i * columns + column] - row_factor * sum));
          }
        },
        [](double a, double b) { return larger(a, b); });
  }
  return largest;
}

void scale_own_rows(const SystemMatrix& matrix, const ScaleFactors& factors, Vectors& x) {
  x.scale_rows(factors.vector(matrix));
}

}  // namespace spsolve::solve
