#include "apps/bench/gpu/cuda_device.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "cuda/core/cuda_check.hpp"

namespace spsolve::cuda {

namespace {

constexpr Index flush_bytes = Index{256} << 20;

DeviceInfo first_device() {
  const std::string reason = why_no_gpu();
  if (!reason.empty()) fail(ExitCode::resources, "no GPU here: {}", reason);
  return devices().front();
}

}  // namespace

CudaDevice::CudaDevice(bool measures_copy)
    : info_(first_device()), measures_copy_(measures_copy), flush_(flush_bytes) {}

std::int64_t CudaDevice::copy_bytes() const {
  return std::min<std::int64_t>(std::int64_t{1} << 30, info_.memory_bytes / 16);
}

double CudaDevice::bandwidth(int) {
  if (!measures_copy_ || bandwidth_ > 0) return bandwidth_;
  const std::int64_t bytes = copy_bytes();
  DeviceArray<char> from(bytes), to(bytes);
  CUDA_CHECK(cudaMemsetAsync(from.data(), 1, static_cast<std::size_t>(bytes), stream_.get()));
  const auto copy = [&](int repeats) {
    start_.record(stream_);
    for (int r = 0; r < repeats; ++r) {
      CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data(), static_cast<std::size_t>(bytes),
                                 cudaMemcpyDeviceToDevice, stream_.get()));
    }
    stop_.record(stream_);
    return stop_.seconds_since(start_);
  };
  const bench::Sampled sampled = bench::sample(copy, {.samples = 11, .sample_seconds = 2e-3});
  bandwidth_ = 2.0 * static_cast<double>(bytes) / statistics_of(sampled.samples).median;
  return bandwidth_;
}

template <typename T>
bench::Sampled CudaDevice::measure(KernelProduct<T>& product, const Dense<T>& x, Dense<T>& y,
                                   const bench::SamplingOptions& options) {
  const DeviceArray<T> x_device(x.values);
  // Room after Y, see KernelOptions.
  DeviceArray<T> y_device(static_cast<Index>(y.values.size()) + 1);
  y_device.upload(y.values);
  const StreamScope scope(stream_);
  const auto multiply = [&](int repeats) {
    start_.record(stream_);
    for (int r = 0; r < repeats; ++r) {
      product.multiply(x_device.data(), y_device.data(), x.columns);
    }
    stop_.record(stream_);
    return stop_.seconds_since(start_);
  };
  bench::Sampled result = bench::sample(multiply, options);
  result.cold_samples.resize(static_cast<std::size_t>(std::max(1, options.samples)));
  for (double& seconds : result.cold_samples) {
    // Not waited for: while it writes, the product's launches are queued.
    CUDA_CHECK(
        cudaMemsetAsync(flush_.data(), 0, static_cast<std::size_t>(flush_bytes), stream_.get()));
    seconds = multiply(1);
  }
  y_device.download(y.values);
  return result;
}

bench::Sampled CudaDevice::run(KernelProduct<float>& product, const Dense<float>& x,
                               Dense<float>& y, const bench::SamplingOptions& options) {
  return measure(product, x, y, options);
}

bench::Sampled CudaDevice::run(KernelProduct<double>& product, const Dense<double>& x,
                               Dense<double>& y, const bench::SamplingOptions& options) {
  return measure(product, x, y, options);
}

}  // namespace spsolve::cuda
