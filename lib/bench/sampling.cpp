#include "bench/sampling.hpp"

#include <algorithm>
#include <vector>

namespace spsolve::bench {

Sampled sample(const std::function<double(int)>& run, const SamplingOptions& options) {
  constexpr int most_repeats = 1 << 20;
  Sampled result;
  run(1);  // touches pages, wakes threads, fills caches
  while (run(result.repeats) < options.sample_seconds && result.repeats < most_repeats) {
    result.repeats *= 2;
  }
  std::vector<double> seconds(static_cast<std::size_t>(std::max(1, options.samples)));
  for (double& value : seconds) value = run(result.repeats) / result.repeats;
  result.seconds = statistics_of(seconds);
  return result;
}

}  // namespace spsolve::bench
