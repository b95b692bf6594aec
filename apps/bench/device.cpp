#include "apps/bench/device.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include <unistd.h>

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "core/timer.hpp"
#include "core/types.hpp"
#include "core/untouched_array.hpp"

namespace spsolve::bench {

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

std::int64_t last_cache_bytes() {
  const long third = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return third > 0 ? third : std::max(0L, sysconf(_SC_LEVEL2_CACHE_SIZE));
}

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

std::int64_t triad_array_bytes() {
  const std::int64_t wanted = std::clamp(4 * last_cache_bytes(), 64 * mebibyte, 512 * mebibyte);
  return std::max(mebibyte, std::min(wanted, available_memory() / 8));
}

Triad measure_triad(int threads, std::int64_t array_bytes, int passes) {
  Triad result;
  result.threads = threads;
  result.array_bytes = array_bytes > 0 ? array_bytes : triad_array_bytes();
  if (result.array_bytes > available_memory() / 3) {
    fail(ExitCode::resources, "three arrays of {} MiB for the triad do not fit into this memory",
         result.array_bytes / mebibyte);
  }
  const Index elements = std::max<Index>(1, result.array_bytes / Index{sizeof(double)});
  // Nobody has touched these: their pages go where the first thread writes.
  const auto size = static_cast<std::size_t>(elements);
  const auto a = std::make_unique_for_overwrite<double[]>(size);
  const auto b = std::make_unique_for_overwrite<double[]>(size);
  const auto c = std::make_unique_for_overwrite<double[]>(size);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (Index i = 0; i < elements; ++i) {
    a[i] = 0.0;
    b[i] = 2.0;
    c[i] = 0.5;
  }
  constexpr int warm_up = 2;
  std::vector<double> seconds;
  for (int pass = 0; pass < warm_up + passes; ++pass) {
    const double s = 3.0 + pass;  // no two passes do the same
    const Timer timer;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (Index i = 0; i < elements; ++i) a[i] = b[i] + s * c[i];
    if (pass >= warm_up) seconds.push_back(timer.seconds());
    if (a[elements / 2] != 2.0 + s * 0.5) fail(ExitCode::internal, "the triad is wrong");
  }
  result.seconds = statistics_of(seconds).median;
  result.bytes_per_second = 24.0 * static_cast<double>(elements) / result.seconds;
  return result;
}

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
