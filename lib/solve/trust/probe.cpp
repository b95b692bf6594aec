#include "solve/trust/probe.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/extremes.hpp"
#include "solve/operators/equilibrate.hpp"
#include "solve/operators/right_hand_side_scaling.hpp"

namespace spsolve::inline solve {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

constexpr int most_steps = 10;

/// Steps one after the other that may not halve the error: it may grow first, where M A - I is far
/// from normal.
constexpr int most_stalled = 2;

/// ||C^-1 e||_2, the largest of the columns, infinite for what is not finite; `inverse_scale` holds
/// C^-1, `scaled` is worked in.
double scaled_norm(const Vectors& e, const Vectors& inverse_scale, Vectors& scaled) {
  copy(e, scaled);
  scaled.scale_rows(inverse_scale);
  double largest = 0;
  for (const double norm : norms(scaled)) {
    largest = std::max(largest, std::isfinite(norm) ? norm : infinite);
  }
  return largest;
}

/// Known solutions z, whose scaled elements are random, and C^-1.
struct KnownSolutions {
  /// `scale`: C, powers of two; null: that of equilibration_of().
  KnownSolutions(SystemMatrix& matrix, Index columns, Index seed,
                 const std::vector<double>* scale = nullptr)
      : z(matrix.vectors(columns)), inverse_scale(matrix.vectors(1)) {
    const std::vector<double> c =
        scale != nullptr ? *scale : powers_of_two(scales_of(matrix).columns);
    const Range rows{0, z->height()};
    inverse_scale->write_rows(rows, c);
    z->fill_random(seed);
    z->scale_rows(*inverse_scale);
    inverse_scale->write_rows(rows, inverses_of(c));
  }

  std::unique_ptr<Vectors> z, inverse_scale;
};

}  // namespace

Probe probe_known_solution(SystemMatrix& matrix, LinearOperator& inverse,
                           const ProbeSetting& setting) {
  const auto [error, back] = KnownSolutions(matrix, 1, 17);
  if (setting.project) setting.project(*error);
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

Contraction probe_contraction(SystemMatrix& matrix, LinearOperator& factors,
                              const std::vector<double>* scale) {
  const auto [error, back] = KnownSolutions(matrix, Contraction::columns, 41, scale);
  const std::unique_ptr<Vectors> residual = error->similar(Contraction::columns),
                                 correction = error->similar(Contraction::columns);
  Contraction told;
  int stalled = 0;
  for (int step = 0; step < most_steps && stalled <= most_stalled; ++step) {
    Vectors& zero = *correction;
    zero.fill(0);
    matrix.residual(zero, *error, *residual);  // of -A e
    factors.apply(*residual, *correction);
    add_multiple(1, *correction, *error);
    const double left = scaled_norm(*error, *back, *correction);
    stalled = left <= told.left / 2 ? 0 : stalled + 1;
    told.left = left;
    if (step == 0) told.first = left;
    if (!std::isfinite(left) || left <= Contraction::least) break;
  }
  return told;
}

}  // namespace spsolve::solve
