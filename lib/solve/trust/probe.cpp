#include "solve/trust/probe.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/extremes.hpp"
#include "solve/operators/equilibrate.hpp"

namespace spsolve::inline solve {

namespace {

constexpr int most_steps = 10;

/// Steps one after the other that may not halve the error: it may grow first, where M A - I is far
/// from normal.
constexpr int most_stalled = 2;

/// ||C^-1 e||_2, infinite for what is not finite; `inverse_scale` holds C^-1, `scaled` is worked
/// in.
double scaled_norm(const Vectors& e, const Vectors& inverse_scale, Vectors& scaled) {
  copy(e, scaled);
  scaled.scale_rows(inverse_scale);
  const double norm = norms(scaled).front();
  return std::isfinite(norm) ? norm : std::numeric_limits<double>::infinity();
}

}  // namespace

Probe probe_known_solution(SystemMatrix& matrix, LinearOperator& inverse,
                           const ProbeSetting& setting) {
  const std::unique_ptr<Vectors> error = matrix.vectors(1), back = error->similar(1);
  {
    const std::vector<std::int16_t>& exponents = scales_of(matrix).columns;
    const Range rows{0, back->height()};
    back->write_rows(rows, powers_of_two(exponents));
    error->fill_random(17);
    error->scale_rows(*back);
    if (setting.project) setting.project(*error);
    back->write_rows(rows, powers_of_two(exponents, -1));
  }
  const std::unique_ptr<Vectors> residual = error->similar(1), correction = error->similar(1);
  Probe probe;
  const double whole = probe.left = scaled_norm(*error, *back, *correction);
  int stalled = 0;
  const auto enough = [&] {
    return probe.found() && (probe.steps >= setting.least_steps || probe.found_all(matrix.order()));
  };
  while (!enough() && probe.steps < most_steps) {
    const double before = probe.left;
    Vectors& zero = *correction;
    zero.fill(0);
    const ResidualNorms norms = matrix.residual(zero, *error, *residual);  // of -A e
    const double size = norms.solution.front(), product = norms.residual.front();
    if (size > 0) probe.inverse_norm = std::max(probe.inverse_norm, size / product);
    inverse.apply(*residual, *correction);
    add_multiple(1, *correction, *error);
    if (setting.project) setting.project(*error);
    probe.left = scaled_norm(*error, *back, *correction);
    if (++probe.steps == 1) probe.first = probe.left / whole;
    probe.slowest = larger(probe.slowest, probe.left / before);
    stalled = probe.left <= before / 2 ? 0 : stalled + 1;
    if (!std::isfinite(probe.left) || stalled > most_stalled) break;
    if (probe.slowest > setting.largest_part) break;
  }
  if (setting.rest != nullptr) copy(*error, *setting.rest);
  return probe;
}

}  // namespace spsolve::solve
