#include "solve/operators/right_hand_side_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/extremes.hpp"

namespace spsolve::inline solve {

double right_hand_side_scale(double size, int exponent) {
  constexpr int far = 200, most = 1022;
  if (!(size > 0) || !std::isfinite(size) || std::abs(std::ilogb(size)) <= far) return 1;
  return std::ldexp(1.0, std::clamp(exponent - std::ilogb(size), -most, most));
}

namespace {

/// The exponents of the smallest element of each column that is not 0; 0 where there is none.
std::vector<int> least_exponents(const Vectors& b) {
  const Dense<double> rows = own_rows(b);
  const double none = std::numeric_limits<double>::infinity();
  std::vector<double> least(static_cast<std::size_t>(rows.columns), -none);
  for (Index i = 0; i < rows.rows; ++i) {
    for (Index c = 0; c < rows.columns; ++c) {
      const double size = std::abs(rows(i, c));
      if (size > 0) least[c] = std::max(least[c], -size);
    }
  }
  all_maximum(b.team(), least);
  std::vector<int> exponents;
  for (const double size : least) exponents.push_back(size == -none ? 0 : std::ilogb(size));
  return exponents;
}

}  // namespace

bool any_scales(const std::vector<double>& factors) {
  return std::ranges::any_of(factors, [](double factor) { return factor != 1; });
}

std::vector<double> right_hand_side_scales(const SystemMatrix& matrix, const Vectors& b) {
  const std::vector<double> sizes = maxima(b);
  std::vector<double> factors;
  for (const double size : sizes) factors.push_back(right_hand_side_scale(size));
  if (!any_scales(factors)) return factors;
  double largest = 0;
  for (const double of_row : matrix.row_maxima().values) largest = larger(largest, of_row);
  largest = all_maximum(matrix.team(), largest);
  constexpr int limit = 900, least = -860;
  const bool usable = largest > 0 && std::isfinite(largest);
  const int of_matrix = usable ? std::ilogb(largest) : 0;
  const int exponent = of_matrix - std::clamp(of_matrix, -limit, limit);
  const std::vector<int> of_least = least_exponents(b);
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    const double lowest = std::ldexp(1.0, std::clamp(least - of_least[c], -1022, 0));
    factors[c] = std::max(right_hand_side_scale(sizes[c], exponent), lowest);
  }
  return factors;
}

std::vector<double> inverses_of(const std::vector<double>& factors) {
  std::vector<double> inverses;
  inverses.reserve(factors.size());
  for (const double factor : factors) inverses.push_back(1 / factor);
  return inverses;
}

}  // namespace spsolve::solve
