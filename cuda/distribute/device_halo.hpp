#pragma once

#include <span>

#include "cuda/core/device_array.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/distribute/best_exchange.hpp"
#include "distribute/halo/halo_device.hpp"

namespace spsolve::cuda::inline distribute {

/// The product's steps on this rank's GPU. One stream multiplies the interior part and adds the
/// boundary's sums to Y; another, which goes first, packs, exchanges and multiplies the halo
/// meanwhile. The host waits for nothing but what the transport makes it wait for. Times are those
/// of the GPU's clock.
template <typename T>
class DeviceHalo final : public HaloDevice<T> {
 public:
  /// The products must be prepared by now.
  DeviceHalo(Transports& transports, const HaloPlan& plan,
             std::span<const LocalIndex> boundary_rows);

  void start(const T* x, Index columns) override;
  void interior(KernelProduct<T>& product, const T* x, T* y, Index columns) override;
  void boundary(KernelProduct<T>* product, T* y, Index columns) override;
  ProductTimes finish() override;
  std::string transport() const override;

 private:
  void make_room(const T* x, Index columns);

  const HaloPlan plan_;
  const bool alone_;  ///< on the team
  BestExchange exchange_;
  Stream products_, halo_{Stream::Order::alone_and_first};
  DeviceArray<LocalIndex> rows_to_send_, boundary_rows_;
  DeviceArray<T> sums_;
  Index columns_ = 0;
  Event x_ready_, packing_, packed_, arrived_, summed_;              // of halo_
  Event interior_begin_, interior_end_, adding_begin_, adding_end_;  // of products_
};

}  // namespace spsolve::cuda::distribute
