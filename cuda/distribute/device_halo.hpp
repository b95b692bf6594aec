#pragma once

#include <span>

#include "cuda/core/device_array.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/distribute/device_exchange.hpp"
#include "distribute/halo_device.hpp"

namespace spsolve::cuda {

/// The product's steps on this rank's GPU: both kernels on one stream, packing and the exchange on
/// another, so that the halo travels while the interior part is multiplied. Times are those of the
/// GPU's clock.
template <typename T>
class DeviceHalo final : public HaloDevice<T> {
 public:
  DeviceHalo(Team& team, const HaloPlan& plan, std::span<const LocalIndex> boundary_rows,
             Transport transport);

  void start(const T* x, Index columns) override;
  void interior(Product<T>& product, const T* x, T* y, Index columns) override;
  void boundary(Product<T>* product, T* y, Index columns) override;
  ProductTimes finish() override;

 private:
  void make_room(Index columns);

  const HaloPlan plan_;
  std::unique_ptr<DeviceExchange> exchange_;
  Stream products_, halo_{Stream::Order::alone_and_first};
  DeviceArray<LocalIndex> rows_to_send_, boundary_rows_;
  DeviceArray<T> outgoing_, incoming_, sums_;
  Index columns_ = 0;
  Event x_ready_, packing_, packed_, arrived_, interior_begin_, interior_end_, boundary_begin_,
      boundary_end_;
};

}  // namespace spsolve::cuda
