#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/statistics.hpp"

namespace spsolve::bench {

struct SamplingOptions {
  int samples = 10;              ///< at least 1
  double sample_seconds = 2e-3;  ///< shortest sample; work that is shorter is repeated within one
};

/// Seconds of one run of some work.
struct Sampled {
  int repeats = 1;     ///< runs within each sample
  Statistics seconds;  ///< of the samples, each divided by `repeats`
  /// Seconds of single runs that find nothing in the caches, from devices that can see to that.
  std::optional<Statistics> cold_seconds;
  /// The samples of the two figures above.
  std::vector<double> samples, cold_samples;

  /// Takes more samples of the same work in; `repeats` becomes the later ones'.
  void add(const Sampled& more);
};

/// Measures `run(n)`, which does the work n times and hands back the seconds that took by its own
/// clock. Warm-up: once, then twice as often until a sample is long enough; those runs don't count.
Sampled sample(const std::function<double(int)>& run, const SamplingOptions& options);

}  // namespace spsolve::bench
