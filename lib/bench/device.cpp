#include "bench/device.hpp"

#include "core/timer.hpp"

namespace spsolve::bench {

namespace {

template <typename T>
Sampled run_on_host(Product<T>& product, const Dense<T>& x, Dense<T>& y,
                    const SamplingOptions& options) {
  return sample(
      [&](int repeats) {
        const Timer timer;
        for (int r = 0; r < repeats; ++r)
          product.multiply(x.values.data(), y.values.data(), x.columns);
        return timer.seconds();
      },
      options);
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

Sampled HostDevice::run(Product<float>& product, const Dense<float>& x, Dense<float>& y,
                        const SamplingOptions& options) {
  return run_on_host(product, x, y, options);
}

Sampled HostDevice::run(Product<double>& product, const Dense<double>& x, Dense<double>& y,
                        const SamplingOptions& options) {
  return run_on_host(product, x, y, options);
}

}  // namespace spsolve::bench
