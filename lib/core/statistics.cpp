#include "core/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace spsolve::inline core {

Statistics statistics_of(std::span<const double> samples) {
  Statistics result;
  if (samples.empty()) return result;
  result.count = static_cast<std::int64_t>(samples.size());
  if (std::any_of(samples.begin(), samples.end(), [](double x) { return std::isnan(x); })) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    result.mean = result.variance = result.median = result.min = result.max = nan;
    return result;
  }
  Welford welford;
  for (const double value : samples) welford.add(value);
  result.mean = welford.mean();
  result.variance = welford.variance();

  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  result.min = sorted.front();
  result.max = sorted.back();
  const std::size_t middle = sorted.size() / 2;
  result.median = sorted.size() % 2 == 1
                      ? sorted[middle]
                      : sorted[middle - 1] + (sorted[middle] - sorted[middle - 1]) / 2;
  return result;
}

}  // namespace spsolve::core
