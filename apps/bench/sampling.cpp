#include "apps/bench/sampling.hpp"

#include <algorithm>

namespace spsolve::bench {

int repeats_for(const std::function<double(int)>& run, double sample_seconds) {
  constexpr int most_repeats = 1 << 20;
  run(1);  // touches pages, wakes threads, fills caches
  int repeats = 1;
  while (run(repeats) < sample_seconds && repeats < most_repeats) repeats *= 2;
  return repeats;
}

Sampled sample(const std::function<double(int)>& run, const SamplingOptions& options) {
  Sampled result{repeats_for(run, options.sample_seconds), {}, {}};
  result.samples.resize(static_cast<std::size_t>(std::max(1, options.samples)));
  for (double& value : result.samples) value = run(result.repeats) / result.repeats;
  return result;
}

}  // namespace spsolve::bench
