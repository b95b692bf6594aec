#include "cuda/device/device_halo_carrier.hpp"

#include <optional>

#include "cuda/core/device_array.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/distribute/device_exchange.hpp"
#include "cuda/distribute/halo_kernels.hpp"
#include "cuda/vectors/device_vectors.hpp"

namespace spsolve::cuda::inline device {

namespace {

/// In order with the work on vectors.
class DeviceHaloCarrier final : public HaloCarrier {
 public:
  DeviceHaloCarrier(Team& team, const HaloPlan& plan, GpuLinks* links)
      : team_(team), plan_(plan), links_(links) {}

  HaloView bring(const Vectors& x) override {
    const Index columns = x.columns();
    if (team_.size() == 1) return {nullptr, 0, columns};
    if (exchange_ == nullptr) begin();
    DeviceExchange& exchange = *exchange_->exchange;
    const cudaStream_t stream = current_stream();
    if (columns != columns_) {
      wait_for(stream);
      exchange.prepare(bytes_of(x), columns * static_cast<Index>(sizeof(double)));
      columns_ = columns;
    }
    if (std::byte* const packed = exchange.outgoing(); packed != nullptr) {
      pack_rows(on_device(x).data(), exchange_->rows_to_send.data(), plan_.sent_rows(), columns,
                reinterpret_cast<double*>(packed), stream);
    }
    exchange.start(bytes_of(x), stream);
    exchange.finish(stream);
    return {reinterpret_cast<const double*>(exchange.incoming()), plan_.halo_rows(), columns};
  }

  void release() override {
    if (exchange_ != nullptr) exchange_->exchange->release(current_stream());
  }

  void expect_many() override {
    if (team_.size() == 1 || links_ == nullptr) return;
    if (!links_->expects_many() && all_sum(team_, plan_.halo_rows()) == 0) return;
    links_->expect_many();
    exchange_ = nullptr;
    columns_ = -1;
  }

 private:
  /// The exchange that is made when the first halo is asked for: most matrices of many ranks are
  /// eliminated.
  struct HaloExchange {
    explicit HaloExchange(const HaloPlan& plan) : rows_to_send(plan.rows_to_send) {}

    DeviceArray<LocalIndex> rows_to_send;
    std::optional<Transports> by_host;  // where it is not by the links
    std::unique_ptr<DeviceExchange> exchange;
  };

  static const std::byte* bytes_of(const Vectors& x) {
    return reinterpret_cast<const std::byte*>(on_device(x).data());
  }

  void begin() {
    exchange_ = together(team_, [&] { return std::make_unique<HaloExchange>(plan_); });
    if (links_ != nullptr && links_->expects_many()) {
      exchange_->exchange = make_exchange(links_->transports(), links_->transport(), plan_);
    } else {
      exchange_->by_host.emplace(team_, Transport::pinned);
      exchange_->exchange = make_exchange(*exchange_->by_host, Transport::pinned, plan_);
    }
  }

  Team& team_;
  const HaloPlan& plan_;
  GpuLinks* links_;
  std::unique_ptr<HaloExchange> exchange_;
  Index columns_ = -1;
};

}  // namespace

std::unique_ptr<HaloCarrier> device_halo_carrier(Team& team, const HaloPlan& plan,
                                                 GpuLinks* links) {
  const bool linked = links != nullptr && &links->team() == &team;
  return std::make_unique<DeviceHaloCarrier>(team, plan, linked ? links : nullptr);
}

}  // namespace spsolve::cuda::device
