#pragma once

#include <string>

#include "apps/bench/device.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/core/device_info.hpp"
#include "cuda/core/stream.hpp"

namespace spsolve::cuda {

/// The first GPU of this process, for measurements. Times are those of CUDA events on a stream of
/// its own.
class CudaDevice final : public bench::Device {
 public:
  /// Throws Error(resources) where there is no GPU. Where `measures_copy` is false, bandwidth() is
  /// 0.
  explicit CudaDevice(bool measures_copy);

  KernelDevice kind() const override { return KernelDevice::cuda; }
  std::string name() const override { return info_.name; }
  bool has_threads() const override { return false; }
  std::int64_t free_memory() const override { return free_device_memory(); }

  /// In place of the triad: bytes read and written per second by a copy within the GPU's memory,
  /// the median of several of copy_bytes() each.
  double bandwidth(int threads) override;
  std::int64_t copy_bytes() const;

  /// Warm: products one after another, as often as a sample is long. Cold: single products, each
  /// after 256 MiB were written, which leaves nothing of A and X in the L2 cache.
  bench::Sampled run(KernelProduct<float>& product, const Dense<float>& x, Dense<float>& y,
                     const bench::SamplingOptions& options) override;
  bench::Sampled run(KernelProduct<double>& product, const Dense<double>& x, Dense<double>& y,
                     const bench::SamplingOptions& options) override;

  const DeviceInfo& info() const { return info_; }

 private:
  template <typename T>
  bench::Sampled measure(KernelProduct<T>& product, const Dense<T>& x, Dense<T>& y,
                         const bench::SamplingOptions& options);

  DeviceInfo info_;
  bool measures_copy_;
  double bandwidth_ = 0;
  Stream stream_;
  Event start_, stop_;
  DeviceArray<char> flush_;
};

}  // namespace spsolve::cuda
