#include "solve/trust/probe.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "core/over_blocks.hpp"
#include "matrix/random.hpp"
#include "solve/equilibrate.hpp"
#include "solve/trust/refine.hpp"

namespace spsolve {

namespace {

constexpr int most_steps = 10;

/// Steps one after the other that may not halve the error: it may grow first, where M A - I is far
/// from normal.
constexpr int most_stalled = 2;

/// Number i of a sequence of normally distributed numbers, the same on every rank (Box and Muller,
/// 1958).
double normal_number(Index i) {
  constexpr std::uint64_t key = mix_bits(17);
  const auto counter = 2 * static_cast<std::uint64_t>(i);
  const double radius = std::sqrt(-2 * std::log1p(-unit_interval(random_bits(key, counter))));
  return radius * std::cos(2 * std::numbers::pi * unit_interval(random_bits(key, counter + 1)));
}

/// ||C^-1 e||_2, infinite for what is not finite; `inverse_scale` holds C^-1, `scaled` is worked
/// in.
double scaled_norm(const Vectors& e, const Vectors& inverse_scale, Vectors& scaled) {
  copy(e, scaled);
  scaled.scale_rows(inverse_scale);
  const double norm = norms(scaled).front();
  return std::isfinite(norm) ? norm : std::numeric_limits<double>::infinity();
}

}  // namespace

Probe probe_known_solution(SystemMatrix& matrix, LinearOperator& inverse, int least_steps) {
  const Range all{0, matrix.own().size()};
  std::unique_ptr<Vectors> error, back;
  {
    const ScaleFactors factors =
        equilibration_of(matrix, AutoSwitch::on, Precision::float64).columns;
    const std::vector<double>& scale = factors.on_host();
    std::vector<double> values(scale.size());
    const auto column = [&](const auto& value) {
    // A number takes 60 ns: as long as many elements.
#pragma omp parallel for schedule(static) if (30 * all.last > elements_worth_waking)
      for (Index j = 0; j < all.last; ++j) values[j] = value(j);
      std::unique_ptr<Vectors> result = matrix.vectors(1);
      result->write_rows(all, values);
      return result;
    };
    error = column([&](Index j) { return scale[j] * normal_number(matrix.own().first + j); });
    back = column([&](Index j) { return 1 / scale[j]; });
  }
  const std::unique_ptr<Vectors> residual = matrix.vectors(1), correction = matrix.vectors(1);
  Probe probe;
  const double whole = probe.left = scaled_norm(*error, *back, *correction);
  int stalled = 0;
  const auto enough = [&] {
    return probe.found() && (probe.steps >= least_steps || probe.found_all(matrix.order()));
  };
  while (!enough() && probe.steps < most_steps) {
    const double before = probe.left;
    Vectors& zero = *correction;
    zero.fill(0);
    measure(matrix, zero, *error, *residual);  // -A e
    inverse.apply(*residual, *correction);
    add_multiple(1, *correction, *error);
    probe.left = scaled_norm(*error, *back, *correction);
    if (++probe.steps == 1) probe.first = probe.left / whole;
    stalled = probe.left <= before / 2 ? 0 : stalled + 1;
    if (!std::isfinite(probe.left) || stalled > most_stalled) break;
  }
  return probe;
}

}  // namespace spsolve
