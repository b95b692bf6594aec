#pragma once

#include "distribute/halo/halo_device.hpp"

namespace spsolve::inline distribute {

/// The processors of this rank: kernels of the host table, messages by Team from and to the memory
/// that they are packed in.
class HostBackend final : public ProductBackend {
 public:
  /// Packs with so many threads.
  explicit HostBackend(int threads);
  ~HostBackend() override;

  std::string device() const override { return "host"; }
  std::span<const Kernel> kernels() const override { return host_kernels(); }
  std::string_view plain_kernel() const override { return "csr_balanced"; }
  DeviceMaker<float>& floats() override;
  DeviceMaker<double>& doubles() override;

 private:
  std::unique_ptr<DeviceMaker<float>> floats_;
  std::unique_ptr<DeviceMaker<double>> doubles_;
};

}  // namespace spsolve::distribute
