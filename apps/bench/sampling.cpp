#include "apps/bench/sampling.hpp"

#include <algorithm>

namespace spsolve::bench {

Sampled sample(const std::function<double(int)>& run, const SamplingOptions& options) {
  constexpr int most_repeats = 1 << 20;
  Sampled result;
  run(1);  // touches pages, wakes threads, fills caches
  while (run(result.repeats) < options.sample_seconds && result.repeats < most_repeats) {
    result.repeats *= 2;
  }
  result.samples.resize(static_cast<std::size_t>(std::max(1, options.samples)));
  for (double& value : result.samples) value = run(result.repeats) / result.repeats;
  result.seconds = statistics_of(result.samples);
  return result;
}

void Sampled::add(const Sampled& more) {
  repeats = more.repeats;
  samples.insert(samples.end(), more.samples.begin(), more.samples.end());
  cold_samples.insert(cold_samples.end(), more.cold_samples.begin(), more.cold_samples.end());
  seconds = statistics_of(samples);
  if (!cold_samples.empty()) cold_seconds = statistics_of(cold_samples);
}

}  // namespace spsolve::bench
