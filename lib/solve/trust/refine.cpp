#include "solve/trust/refine.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/extremes.hpp"
#include "process/log.hpp"

namespace spsolve::inline solve {

namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

/// The largest backward error of an x that solves a system.
constexpr double small_error = 1e-12;

/// An error that shrinks more slowly is not waited for: corrections that do not halve are not kept.
constexpr double largest_rate = 0.9;

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

Quality quality_of(const ResidualNorms& norms) {
  Quality quality;
  quality.componentwise_error = norms.componentwise;
  for (std::size_t c = 0; c < norms.residual.size(); ++c) {
    const double scale = norms.matrix * norms.solution[c] + norms.right_hand_side[c];
    const double error = norms.residual[c] == 0 ? 0.0 : norms.residual[c] / finite_bound(scale);
    quality.backward_error =
        std::max(quality.backward_error, std::isfinite(error) ? error : unknown);
  }
  return quality;
}

/// max over the columns of ||d|| / ||x|| for these norms; infinite for what is not finite, and
/// where d vanished although x solves no system near A x = b. Where it does, what is left of the
/// residual may be what no A d can be, for a singular A.
double relative_step(const std::vector<double>& steps, const std::vector<double>& sizes,
                     const std::vector<double>& residuals, const Quality& of_x) {
  double largest = 0;
  for (std::size_t c = 0; c < steps.size(); ++c) {
    if (steps[c] != 0) {
      largest = larger(largest, steps[c] / sizes[c]);
    } else if (residuals[c] != 0 && of_x.backward_error > small_error) {
      return unknown;
    }
  }
  return std::isfinite(largest) ? largest : unknown;
}

/// Tells the outcome of a sweep in a verbose log; that of the first solution is sweep 0.
void tell(int sweep, const Quality& quality, double step = 0) {
  if (!tells_details()) return;
  log_detail(fmt::format("{}: backward error {:.1e} normwise, {:.1e} componentwise{}",
                         sweep == 0 ? "first solution" : fmt::format("refinement, sweep {}", sweep),
                         quality.backward_error, quality.componentwise_error,
                         sweep == 0 ? "" : fmt::format("; x changed by {:.1e}", step)));
}

}  // namespace

Quality measure(SystemMatrix& matrix, const Vectors& b, const Vectors& x, Vectors& residual) {
  return quality_of(matrix.residual(b, x, residual));
}

double relative_correction(SystemMatrix& matrix, const Vectors& b, LinearOperator& inverse,
                           const Vectors& x) {
  const std::unique_ptr<Vectors> residual = matrix.vectors(b.columns()),
                                 correction = matrix.vectors(b.columns());
  const ResidualNorms norms = matrix.residual(b, x, *residual);
  inverse.apply(*residual, *correction);
  return relative_step(maxima(*correction), norms.solution, norms.residual, quality_of(norms));
}

Refinement refine(SystemMatrix& matrix, const Vectors& b, LinearOperator& inverse,
                  const RefinementSetting& setting, Vectors& x) {
  RefinementSpace space;
  return refine(matrix, b, inverse, setting, x, space);
}

Refinement refine(SystemMatrix& matrix, const Vectors& b, LinearOperator& inverse,
                  const RefinementSetting& setting, Vectors& x, RefinementSpace& space) {
  Vectors& residual = space.residual.like(b);
  Vectors* const magnitudes = space.magnitudes.get();
  Refinement result;
  const ResidualNorms first = matrix.residual(b, x, residual, magnitudes);
  std::vector<double> residuals = first.residual;
  result.before = result.after = quality_of(first);
  result.history.push_back(result.before);
  tell(0, result.before);
  if (result.after.componentwise_error == 0) result.forward_error = 0;
  const auto finished = [&] {
    return result.sweeps == setting.most_sweeps ||
           (at_roundoff(result.after) && result.forward_error <= unit_roundoff);
  };
  if (finished()) return result;
  Vectors& better = space.correction.like(b);
  // Of the first solution; it may have been luckier than others.
  constexpr double luck = 100;
  double last_step = 1;
  double slowest = std::min(setting.rate, largest_rate);
  while (!finished()) {
    inverse.apply(residual, better);
    result.tried = true;
    const std::vector<double> steps = maxima(better);
    add_multiple(1, x, better);
    const ResidualNorms norms = matrix.residual(b, better, residual, magnitudes);
    const Quality quality = quality_of(norms);
    const double step = result.step = relative_step(steps, norms.solution, residuals, result.after);
    residuals = norms.residual;
    const double contraction = step / last_step;
    const bool contracts = contraction <= 0.5;
    tell(result.sweeps + 1, quality, step);
    if (!not_worse(result.after, quality) || !(contracts || halved(result.after, quality))) {
      // x is off by about the correction, if solves contract at all.
      if (std::isfinite(result.forward_error)) {
        result.forward_error = std::max(result.forward_error, step);
      } else if (contracts) {
        result.forward_error = std::max(step / (1 - contraction), unit_roundoff);
      }
      space.magnitudes = nullptr;
      break;
    }
    copy(better, x);
    result.after = quality;
    result.history.push_back(quality);
    ++result.sweeps;
    // x is rounded to double, whatever its corrections were.
    const double seen = result.sweeps == 1 ? std::min(luck * contraction, 0.5) : contraction;
    const double rate = std::max(seen, slowest);
    result.forward_error = contracts ? std::max(rate / (1 - rate) * step, unit_roundoff) : unknown;
    if (result.sweeps > 1 && contracts) slowest = std::max(slowest, contraction);
    last_step = step;
  }
  return result;
}

void refine_further(SystemMatrix& matrix, const Vectors& b, LinearOperator& inverse,
                    const RefinementSetting& setting, Vectors& x, RefinementSpace& space,
                    Refinement& so_far) {
  const bool is_known = setting.rate > 0 && std::isfinite(so_far.forward_error);
  if (so_far.sweeps == 0 || !is_known) return;
  const double rate = std::min(setting.rate, largest_rate);
  so_far.forward_error = std::max(so_far.forward_error, rate / (1 - rate) * so_far.step);
  if (so_far.forward_error <= unit_roundoff || so_far.sweeps >= setting.most_sweeps) return;
  const int left = setting.most_sweeps - so_far.sweeps;
  Refinement more = refine(matrix, b, inverse, {.most_sweeps = left, .rate = rate}, x, space);
  more.before = so_far.before;
  more.sweeps += so_far.sweeps;
  more.tried = true;
  more.history.insert(more.history.begin(), so_far.history.begin(), so_far.history.end() - 1);
  so_far = std::move(more);
}

}  // namespace spsolve::solve
