#pragma once

#include <functional>
#include <vector>

namespace spsolve::bench {

struct SamplingOptions {
  int samples = 10;              ///< at least 1
  double sample_seconds = 2e-3;  ///< shortest sample; work that is shorter is repeated within one
};

/// Seconds of one run of some work.
struct Sampled {
  int repeats = 1;              ///< runs within each sample
  std::vector<double> samples;  ///< each divided by `repeats`
  /// Seconds of single runs that find nothing in the caches, from devices that can see to that.
  std::vector<double> cold_samples;
};

/// `run(n)` does some work n times and hands back the seconds that took by its own clock. The least
/// power of two for which that is long enough. Warm-up: once, then twice as often each time.
int repeats_for(const std::function<double(int)>& run, double sample_seconds);

/// Measures `run` so; runs of the warm-up don't count.
Sampled sample(const std::function<double(int)>& run, const SamplingOptions& options);

}  // namespace spsolve::bench
