#include "eliminate/condition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "distribute/share_rows.hpp"
#include "eliminate/residual.hpp"

namespace spsolve {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Most products with B after the first.
constexpr int most_steps = 4;

/// One estimate under way.
struct Search {
  std::vector<double> signs;  ///< of the last product
  Index component = -1;       ///< of the unit vector that was multiplied last
  double norm = 0;            ///< the largest found so far
  bool finished = false;
};

/// sum over i of w_i |v_i|, infinite for a nan.
double weighted_sum(const Dense<double>& weights, Index column, const Dense<double>& v,
                    Index v_column) {
  double sum = 0;
  for (Index i = 0; i < v.rows; ++i) sum += weights(i, column) * std::abs(v(i, v_column));
  return std::isnan(sum) ? infinite : sum;
}

/// Takes in v = B e_j or B e / n: the norm and the signs; finished where they tell nothing new.
void look_at(Search& search, const Dense<double>& weights, Index column, const Dense<double>& v,
             Index v_column) {
  const double norm = weighted_sum(weights, column, v, v_column);
  std::vector<double> signs(static_cast<std::size_t>(v.rows));
  for (Index i = 0; i < v.rows; ++i) signs[i] = v(i, v_column) < 0 ? -1 : 1;
  search.finished = !std::isfinite(norm) || (!search.signs.empty() && norm <= search.norm) ||
                    signs == search.signs;
  search.norm = std::max(search.norm, norm);
  search.signs = std::move(signs);
}

/// The place of the largest |z_i|, the first among equals.
Index place_of_largest(const Dense<double>& z, Index column) {
  Index place = 0;
  for (Index i = 1; i < z.rows; ++i) {
    if (std::abs(z(i, column)) > std::abs(z(place, column))) place = i;
  }
  return place;
}

bool all_finished(const std::vector<Search>& searches) {
  return std::ranges::all_of(searches, &Search::finished);
}

}  // namespace

std::vector<double> estimate_one_norms(const Dense<double>& weights, const Operator& apply,
                                       const Operator& apply_transposed) {
  const Index n = weights.rows;
  const Index count = weights.columns;
  std::vector<Search> searches(static_cast<std::size_t>(count));
  if (n == 0) return std::vector<double>(static_cast<std::size_t>(count), 0.0);

  // The first products: with e / n, and with Higham's alternating vector, which finds what
  // cancellation hides from the search.
  Dense<double> start(n, 2);
  for (Index i = 0; i < n; ++i) {
    start(i, 0) = 1.0 / static_cast<double>(n);
    start(i, 1) = (i % 2 == 0 ? 1.0 : -1.0) *
                  (1.0 + (n > 1 ? static_cast<double>(i) / static_cast<double>(n - 1) : 0.0));
  }
  apply(start);
  for (Index c = 0; c < count; ++c) {
    look_at(searches[c], weights, c, start, 0);
    searches[c].finished = searches[c].finished || n == 1;
  }

  for (int step = 0; step < most_steps && !all_finished(searches); ++step) {
    // The gradient of the norm points to the column to look at next.
    Dense<double> v(n, count);
    for (Index c = 0; c < count; ++c) {
      if (searches[c].finished) continue;
      for (Index i = 0; i < n; ++i) v(i, c) = weights(i, c) * searches[c].signs[i];
    }
    apply_transposed(v);
    Dense<double> unit(n, count);
    for (Index c = 0; c < count; ++c) {
      Search& search = searches[c];
      if (search.finished) continue;
      const Index place = place_of_largest(v, c);
      if (search.component >= 0 && std::abs(v(place, c)) <= std::abs(v(search.component, c))) {
        search.finished = true;
        continue;
      }
      search.component = place;
      unit(place, c) = 1;
    }
    if (all_finished(searches)) break;
    apply(unit);
    for (Index c = 0; c < count; ++c) {
      if (!searches[c].finished) look_at(searches[c], weights, c, unit, c);
    }
  }

  std::vector<double> norms;
  for (Index c = 0; c < count; ++c) {
    const double alternating =
        2 * weighted_sum(weights, c, start, 1) / (3 * static_cast<double>(n));
    norms.push_back(std::max(searches[c].norm, alternating));
  }
  return norms;
}

namespace {

/// h, a power of two, such that the largest entry of h^2 A is about 1. Sums of |a_ij| then neither
/// overflow nor vanish, whatever the scale of A; h^2 itself may. Collective.
double half_of_scale(Team& team, const Csr<double>& band) {
  double largest = 0;
  for (const double value : band.values) largest = larger(largest, std::abs(value));
  largest = all_maximum(team, largest);
  if (largest == 0 || !std::isfinite(largest)) return 1;
  return std::ldexp(1.0, -(std::ilogb(largest) / 2));
}

/// (h^2 A)^-1 from A^-1: half of the scale goes into what is solved for, half into what comes out.
Operator with_scale(const Operator& solve, double h) {
  return [&solve, h](Dense<double>& v) {
    for (double& value : v.values) value /= h;
    solve(v);
    for (double& value : v.values) value /= h;
  };
}

}  // namespace

double Condition::forward_error(const Quality& quality) const {
  if (singular_to_working_precision() || beyond_the_factors()) return infinite;
  return std::min(2 * normwise * quality.backward_error,
                  componentwise * quality.componentwise_error);
}

Condition estimate_condition(Team& team, const RowBands& bands, const Csr<double>& band,
                             const Dense<double>& b, const Dense<double>& x, const Operator& solve,
                             const Operator& solve_transposed) {
  const Index n = bands.rows;
  const Range mine = bands.band(team.rank());
  std::vector<double> sizes(static_cast<std::size_t>(x.columns));
  for (Index c = 0; c < x.columns; ++c) {
    for (Index i = 0; i < n; ++i) sizes[c] = larger(sizes[c], std::abs(x(i, c)));
  }
  // Neither condition number changes where A and b are multiplied by h^2.
  const double h = half_of_scale(team, band);
  // Column 0: 1. Column 1: (|A| |x| + |b|) / ||x||, the largest of all right-hand sides, which
  // bounds each of them.
  Dense<double> weights(n, 2);
  double norm = 0;
  for (Index i = mine.first; i < mine.last; ++i) {
    const auto columns = band.row_columns(i - mine.first);
    const auto values = band.row_values(i - mine.first);
    double row_sum = 0;
    for (const double value : values) row_sum += std::abs(value * h * h);
    norm = larger(norm, row_sum);
    double weight = 0;
    for (Index c = 0; c < x.columns; ++c) {
      if (sizes[c] == 0) continue;
      double sum = std::abs(b(i, c) * h / sizes[c] * h);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        sum += std::abs(values[k] * h * h * (x(columns[k], c) / sizes[c]));
      }
      weight = larger(weight, sum);
    }
    weights(i, 0) = 1;
    weights(i, 1) = weight;
  }
  share_bands(team, bands, weights);
  norm = all_maximum(team, norm);

  const std::vector<double> norms =
      estimate_one_norms(weights, with_scale(solve_transposed, h), with_scale(solve, h));
  const auto finite = [](double value) { return std::isfinite(value) ? value : infinite; };
  return {finite(norm * norms[0]), finite(norms[1])};
}

}  // namespace spsolve
