#include "eliminate/refine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spsolve {

namespace {

/// Residual of own rows, and what the backward errors need, by right-hand side column.
struct Norms {
  std::vector<double> residual, right_hand_side, solution;
  double matrix = 0;
  double componentwise = 0;
};

double larger(double a, double b) {
  return a > b || std::isnan(a) ? a : b;
}

/// |r| / scale with 0 / 0 = 0: an exact zero equation is solved exactly.
double ratio(double residual, double scale) {
  if (residual == 0) return 0;
  const double value = residual / scale;
  return std::isfinite(value) ? value : std::numeric_limits<double>::infinity();
}

Norms residual_of_own_rows(const Csr<double>& band, Range mine, const Dense<double>& b,
                           const Dense<double>& x, Dense<double>& residual) {
  const Index columns = b.columns;
  Norms norms;
  norms.residual.resize(columns);
  norms.right_hand_side.resize(columns);
  norms.solution.resize(columns);
  std::vector<double> scale(columns);
  for (Index i = mine.first; i < mine.last; ++i) {
    const auto row_columns = band.row_columns(i - mine.first);
    const auto row_values = band.row_values(i - mine.first);
    double* r = residual.row(i);
    for (Index c = 0; c < columns; ++c) {
      r[c] = b(i, c);
      scale[c] = std::abs(b(i, c));
    }
    double row_sum = 0;
    for (std::size_t k = 0; k < row_columns.size(); ++k) {
      const double a = row_values[k];
      const double* x_row = x.row(row_columns[k]);
      row_sum += std::abs(a);
      for (Index c = 0; c < columns; ++c) {
        r[c] -= a * x_row[c];
        scale[c] += std::abs(a * x_row[c]);
      }
    }
    norms.matrix = larger(norms.matrix, row_sum);
    for (Index c = 0; c < columns; ++c) {
      norms.residual[c] = larger(norms.residual[c], std::abs(r[c]));
      norms.right_hand_side[c] = larger(norms.right_hand_side[c], std::abs(b(i, c)));
      norms.solution[c] = larger(norms.solution[c], std::abs(x(i, c)));
      norms.componentwise = larger(norms.componentwise, ratio(std::abs(r[c]), scale[c]));
    }
  }
  return norms;
}

bool at_roundoff(const Quality& quality) {
  return quality.backward_error <= unit_roundoff &&
         quality.componentwise_error <= 2 * unit_roundoff;
}

/// Whether b is worth a further sweep beside a: one error has at least halved, none has grown.
bool improved(const Quality& a, const Quality& b) {
  const bool halved = b.backward_error <= a.backward_error / 2 ||
                      b.componentwise_error <= a.componentwise_error / 2;
  return halved && b.backward_error <= std::max(a.backward_error, 2 * unit_roundoff) &&
         b.componentwise_error <= std::max(a.componentwise_error, 2 * unit_roundoff);
}

}  // namespace

Quality measure(Team& team, const RowBands& bands, const Csr<double>& band, const Dense<double>& b,
                const Dense<double>& x, Dense<double>& residual) {
  Norms norms = residual_of_own_rows(band, bands.band(team.rank()), b, x, residual);
  for (int owner = 0; owner < team.size(); ++owner) {
    const Range rows = bands.band(owner);
    broadcast(team, std::span<double>(residual.row(rows.first), rows.size() * residual.columns),
              owner);
  }
  for (auto* norm : {&norms.residual, &norms.right_hand_side, &norms.solution}) {
    all_maximum(team, *norm);
  }
  Quality quality;
  quality.componentwise_error = all_maximum(team, norms.componentwise);
  const double matrix = all_maximum(team, norms.matrix);
  for (Index c = 0; c < b.columns; ++c) {
    const double scale = matrix * norms.solution[c] + norms.right_hand_side[c];
    quality.backward_error = larger(quality.backward_error, ratio(norms.residual[c], scale));
  }
  return quality;
}

Refinement refine(Team& team, const RowBands& bands, const Csr<double>& band,
                  const Dense<double>& b, const std::function<void(Dense<double>&)>& solve_in_place,
                  int most_sweeps, Dense<double>& x) {
  Dense<double> correction(b.rows, b.columns);
  Refinement result;
  result.before = result.after = measure(team, bands, band, b, x, correction);
  while (result.sweeps < most_sweeps && !at_roundoff(result.after)) {
    solve_in_place(correction);
    Dense<double> better = x;
    for (std::size_t i = 0; i < x.values.size(); ++i) better.values[i] += correction.values[i];
    const Quality quality = measure(team, bands, band, b, better, correction);
    if (!improved(result.after, quality)) break;
    x = std::move(better);
    result.after = quality;
    ++result.sweeps;
  }
  return result;
}

}  // namespace spsolve
