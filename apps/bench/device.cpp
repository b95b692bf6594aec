#include "apps/bench/device.hpp"

#include <algorithm>

#include "core/timer.hpp"
#include "core/untouched_array.hpp"

namespace spsolve::bench {

namespace {

/// X and Y move to whole pages for the samples: by where the heap puts them, a kernel would have
/// two speeds (see allocate_untouched()).
template <typename T>
Sampled run_on_host(KernelProduct<T>& product, const Dense<T>& x, Dense<T>& y,
                    const SamplingOptions& options) {
  UntouchedArray<T> placed_x(static_cast<Index>(x.values.size()));
  UntouchedArray<T> placed_y(static_cast<Index>(y.values.size()));
  std::copy(x.values.begin(), x.values.end(), placed_x.data());
  std::copy(y.values.begin(), y.values.end(), placed_y.data());
  const Sampled sampled = sample(
      [&](int repeats) {
        const Timer timer;
        for (int r = 0; r < repeats; ++r)
          product.multiply(placed_x.data(), placed_y.data(), x.columns);
        return timer.seconds();
      },
      options);
  std::copy_n(placed_y.data(), placed_y.size(), y.values.begin());
  return sampled;
}

}  // namespace

double HostDevice::bandwidth(int threads) {
  if (triad_bytes_ < 0) return 0;
  auto found = triads_.find(threads);
  if (found == triads_.end()) {
    found = triads_.emplace(threads, measure_triad(threads, triad_bytes_)).first;
  }
  return found->second.bytes_per_second;
}

Sampled HostDevice::run(KernelProduct<float>& product, const Dense<float>& x, Dense<float>& y,
                        const SamplingOptions& options) {
  return run_on_host(product, x, y, options);
}

Sampled HostDevice::run(KernelProduct<double>& product, const Dense<double>& x, Dense<double>& y,
                        const SamplingOptions& options) {
  return run_on_host(product, x, y, options);
}

}  // namespace spsolve::bench
