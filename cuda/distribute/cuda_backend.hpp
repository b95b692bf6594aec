#pragma once

#include <string>

#include "cuda/distribute/device_exchange.hpp"
#include "distribute/halo_device.hpp"

namespace spsolve::cuda {

/// This rank's GPU, the current device: the table of GPU kernels, X and Y in its memory.
class CudaBackend final : public ProductBackend {
 public:
  /// Finds out how the halo can travel. Collective.
  explicit CudaBackend(Team& team);
  ~CudaBackend() override;

  std::string device() const override { return device_; }
  std::span<const Kernel> kernels() const override;
  std::string_view plain_kernel() const override { return "csr_lanes"; }
  std::string transport() const override { return name_of(transport_); }
  DeviceMaker<float>& floats() override { return *floats_; }
  DeviceMaker<double>& doubles() override { return *doubles_; }

 private:
  std::string device_;
  Transport transport_;
  std::unique_ptr<DeviceMaker<float>> floats_;
  std::unique_ptr<DeviceMaker<double>> doubles_;
};

}  // namespace spsolve::cuda
