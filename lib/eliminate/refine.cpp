#include "eliminate/refine.hpp"

#include <algorithm>
#include <cmath>

#include "distribute/share_rows.hpp"
#include "eliminate/residual.hpp"

namespace spsolve {

namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

bool at_roundoff(const Quality& quality) {
  return quality.backward_error <= unit_roundoff &&
         quality.componentwise_error <= 2 * unit_roundoff;
}

/// Whether neither error of b exceeds a's, round-off aside.
bool not_worse(const Quality& a, const Quality& b) {
  return b.backward_error <= std::max(a.backward_error, 2 * unit_roundoff) &&
         b.componentwise_error <= std::max(a.componentwise_error, 2 * unit_roundoff);
}

/// Whether one error has at least halved from a to b.
bool halved(const Quality& a, const Quality& b) {
  return b.backward_error <= a.backward_error / 2 ||
         b.componentwise_error <= a.componentwise_error / 2;
}

/// max over the columns of ||d|| / ||x||, infinity norms, 0 / 0 = 0; infinite for what is not
/// finite.
double relative_step(const Dense<double>& d, const Dense<double>& x) {
  double largest = 0;
  for (Index c = 0; c < x.columns; ++c) {
    double step = 0, size = 0;
    for (Index i = 0; i < x.rows; ++i) {
      step = larger(step, std::abs(d(i, c)));
      size = larger(size, std::abs(x(i, c)));
    }
    if (step != 0) largest = larger(largest, step / size);
  }
  return std::isfinite(largest) ? largest : unknown;
}

}  // namespace

Quality measure(Team& team, const RowBands& bands, const Csr<double>& band, const Dense<double>& b,
                const Dense<double>& x, Dense<double>& residual) {
  ResidualNorms norms = residual_of_own_rows(band, bands.band(team.rank()), b, x, residual);
  share_bands(team, bands, residual);
  for (auto* norm : {&norms.residual, &norms.right_hand_side, &norms.solution}) {
    all_maximum(team, *norm);
  }
  Quality quality;
  quality.componentwise_error = all_maximum(team, norms.componentwise);
  const double matrix = all_maximum(team, norms.matrix);
  for (Index c = 0; c < b.columns; ++c) {
    const double scale = matrix * norms.solution[c] + norms.right_hand_side[c];
    const double error = norms.residual[c] == 0 ? 0.0 : norms.residual[c] / finite_bound(scale);
    quality.backward_error =
        std::max(quality.backward_error, std::isfinite(error) ? error : unknown);
  }
  return quality;
}

Refinement refine(Team& team, const RowBands& bands, const Csr<double>& band,
                  const Dense<double>& b, const std::function<void(Dense<double>&)>& solve_in_place,
                  int most_sweeps, Dense<double>& x) {
  Dense<double> correction(b.rows, b.columns);
  Refinement result;
  result.before = result.after = measure(team, bands, band, b, x, correction);
  result.history.push_back(result.before);
  if (result.after.componentwise_error == 0) result.forward_error = 0;
  double last_step = 1;
  while (result.sweeps < most_sweeps &&
         !(at_roundoff(result.after) && result.forward_error <= unit_roundoff)) {
    solve_in_place(correction);
    Dense<double> better = x;
    for (std::size_t i = 0; i < x.values.size(); ++i) better.values[i] += correction.values[i];
    const double step = relative_step(correction, better);
    const double contraction = step / last_step;
    const Quality quality = measure(team, bands, band, b, better, correction);
    const bool contracts = contraction <= 0.5;
    if (!not_worse(result.after, quality) || !(contracts || halved(result.after, quality))) {
      result.forward_error = std::max(result.forward_error, step);
      break;
    }
    x = std::move(better);
    result.after = quality;
    result.history.push_back(quality);
    ++result.sweeps;
    // x is rounded to double, whatever its corrections were.
    result.forward_error =
        contracts ? std::max(contraction / (1 - contraction) * step, unit_roundoff) : unknown;
    last_step = step;
  }
  return result;
}

}  // namespace spsolve
