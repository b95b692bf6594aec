#pragma once

#include <string>

#include "cuda/distribute/device_exchange.hpp"
#include "distribute/halo/halo_device.hpp"

namespace spsolve::cuda::inline distribute {

/// This rank's GPU, the current device: the table of GPU kernels, X and Y in its memory.
class CudaBackend final : public ProductBackend {
 public:
  /// The halo may travel by `transport`, see Transports. Throws
  /// Error(resources) on every rank where that can't be had. Collective.
  CudaBackend(Team& team, Transport transport);
  ~CudaBackend() override;

  std::string device() const override { return device_; }
  std::span<const Kernel> kernels() const override;
  std::string_view plain_kernel() const override { return "csr_row_split"; }
  DeviceMaker<float>& floats() override { return *floats_; }
  DeviceMaker<double>& doubles() override { return *doubles_; }

 private:
  std::string device_;
  Transports transports_;
  std::unique_ptr<DeviceMaker<float>> floats_;
  std::unique_ptr<DeviceMaker<double>> doubles_;
};

}  // namespace spsolve::cuda::distribute
