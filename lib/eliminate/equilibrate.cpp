#include "eliminate/equilibrate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

namespace spsolve {

namespace {

/// The power of two that brings `largest` > 0 into [1/2, 1), within the range of double.
double inverse_power(double largest) {
  int exponent = 0;
  std::frexp(largest, &exponent);
  return std::ldexp(1.0, std::clamp(-exponent, -1022, 1022));
}

/// The factors that bring each of `largest` near 1; 1 for a zero.
std::vector<double> factors_for(const std::vector<double>& largest) {
  std::vector<double> factors;
  factors.reserve(largest.size());
  for (const double value : largest) {
    factors.push_back(value > 0 && std::isfinite(value) ? inverse_power(value) : 1.0);
  }
  return factors;
}

/// Whether the non-zero ones of `largest` differ by a factor of 10 or more.
bool ranges_far(const std::vector<double>& largest) {
  double most = 0, least = std::numeric_limits<double>::infinity();
  for (const double value : largest) {
    if (value == 0) continue;
    most = std::max(most, value);
    least = std::min(least, value);
  }
  return least <= 0.1 * most;
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

void multiply_rows(const std::vector<double>& factors, Dense<double>& x) {
  for (Index i = 0; i < x.rows; ++i) {
    for (Index c = 0; c < x.columns; ++c) x(i, c) *= factors[i];
  }
}

Equilibration equilibration_of(Team& team, const RowBands& bands, const Csr<double>& band,
                               AutoSwitch wanted, Precision precision) {
  if (wanted == AutoSwitch::off) return {};
  const Range mine = bands.band(team.rank());
  std::vector<double> largest(static_cast<std::size_t>(bands.rows));
  for (Index i = 0; i < band.rows; ++i) {
    for (const double value : band.row_values(i)) {
      largest[mine.first + i] = std::max(largest[mine.first + i], std::abs(value));
    }
  }
  all_maximum(team, largest);
  Equilibration scaling;
  scaling.rows = factors_for(largest);
  const double of_all = largest.empty() ? 0 : std::ranges::max(largest);
  bool worth_it = ranges_far(largest) || is_extreme(of_all, precision);

  std::ranges::fill(largest, 0.0);
  for (Index i = 0; i < band.rows; ++i) {
    const auto columns = band.row_columns(i);
    const auto values = band.row_values(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      largest[columns[k]] =
          std::max(largest[columns[k]], scaling.rows[mine.first + i] * std::abs(values[k]));
    }
  }
  all_maximum(team, largest);
  scaling.columns = factors_for(largest);
  worth_it = worth_it || ranges_far(largest);
  if (wanted == AutoSwitch::automatic && !worth_it) return {};
  return scaling;
}

Csr<double> scaled_rows(const Equilibration& scaling, const EliminationChoice& choice,
                        const Team& team, Csr<double> rows) {
  if (!scaling.scales()) return rows;
  const Index order = rows.columns;
  const int ranks = team.size();
  const std::vector<Index> in_cycles =
      deals_in_cycles(choice, ranks) ? cyclic_rows(choice, order, ranks).global_rows(team.rank())
                                     : std::vector<Index>{};
  const Index first = RowBands{order, ranks}.band(team.rank()).first;
  for (Index i = 0; i < rows.rows; ++i) {
    const double row_factor = scaling.rows[in_cycles.empty() ? first + i : in_cycles[i]];
    for (Index k = rows.row_offsets[i]; k < rows.row_offsets[i + 1]; ++k) {
      // One after the other: their product may overflow where the entry does not.
      rows.values[k] = rows.values[k] * row_factor * scaling.columns[rows.column_indices[k]];
    }
  }
  return rows;
}

Eliminated undo_scaling(Eliminated eliminated, Equilibration scaling) {
  if (!scaling.scales()) return eliminated;
  const auto shared = std::make_shared<const Equilibration>(std::move(scaling));
  const auto between = [shared](auto solve, auto before, auto after) {
    return [=](Dense<double>& x) {
      multiply_rows((*shared).*before, x);
      solve(x);
      multiply_rows((*shared).*after, x);
    };
  };
  constexpr auto rows = &Equilibration::rows;
  constexpr auto columns = &Equilibration::columns;
  eliminated.solve = between(std::move(eliminated.solve), rows, columns);
  if (eliminated.solve_transposed) {
    eliminated.solve_transposed = between(std::move(eliminated.solve_transposed), columns, rows);
  }
  return eliminated;
}

}  // namespace spsolve
