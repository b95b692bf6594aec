#include "cuda/distribute/device_halo_carrier.hpp"

#include <cstdint>
#include <optional>
#include <utility>

#include "cuda/core/device_array.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/distribute/best_exchange.hpp"
#include "cuda/distribute/halo_kernels.hpp"

namespace spsolve::cuda::inline distribute {

namespace {

class DeviceHaloCarrier final : public HaloCarrier {
 public:
  /// By `tried` and with times, or else by `links`, which may be null.
  DeviceHaloCarrier(Team& team, const HaloPlan& plan, GpuLinks* links, Transports* tried)
      : HaloCarrier(plan), team_(team), links_(links), tried_(tried) {
    if (tried != nullptr) clock_.emplace();
  }

  void prepare(const std::byte* x, Index row_bytes) override {
    if (team_.size() == 1 || row_bytes == row_bytes_) return;
    if (made_ == nullptr) made_ = make();
    wait_for(current_stream());
    made_->exchange->prepare(x, row_bytes);
    row_bytes_ = row_bytes;
  }

  const std::byte* bring(const std::byte* x, Index row_bytes) override {
    if (team_.size() == 1) return nullptr;
    prepare(x, row_bytes);
    DeviceExchange& exchange = *made_->exchange;
    const cudaStream_t stream = current_stream();
    if (clock_) clock_->packing.record(stream);
    if (std::byte* const packed = exchange.outgoing(); packed != nullptr) pack(x, packed, stream);
    if (clock_) clock_->packed.record(stream);
    exchange.start(x, stream);
    is_held_ = true;
    exchange.finish(stream);
    if (clock_) clock_->arrived.record(stream);
    return exchange.incoming();
  }

  void release() override {
    if (std::exchange(is_held_, false)) made_->exchange->release(current_stream());
  }

  void expect_many() override {
    if (team_.size() == 1 || links_ == nullptr) return;
    if (!links_->expects_many() && all_sum(team_, plan_.halo_rows()) == 0) return;
    links_->expect_many();
    made_ = nullptr;
    row_bytes_ = -1;
  }

  std::string transport() const override {
    return made_ == nullptr ? "none" : made_->exchange->name();
  }

  HaloTimes times() const override {
    if (!clock_ || team_.size() == 1) return {};
    return {clock_->packed.seconds_since(clock_->packing),
            clock_->arrived.seconds_since(clock_->packed)};
  }

 private:
  /// The exchange, which is made when the first halo is asked for: most matrices of many ranks are
  /// eliminated.
  struct HaloExchange {
    explicit HaloExchange(const HaloPlan& plan) : rows_to_send(plan.rows_to_send) {}

    DeviceArray<LocalIndex> rows_to_send;
    std::optional<Transports> by_host;  // where it is not by others
    std::unique_ptr<DeviceExchange> exchange;
  };

  struct Clock {
    Event packing, packed, arrived;
  };

  std::unique_ptr<HaloExchange> make() {
    auto made = together(team_, [&] { return std::make_unique<HaloExchange>(plan_); });
    if (tried_ != nullptr) {
      made->exchange =
          together(team_, [&] { return std::make_unique<BestExchange>(*tried_, plan_); });
    } else if (links_ != nullptr && links_->expects_many()) {
      made->exchange = make_exchange(links_->transports(), links_->transport(), plan_);
    } else {
      made->by_host.emplace(team_, Transport::pinned);
      made->exchange = make_exchange(*made->by_host, Transport::pinned, plan_);
    }
    return made;
  }

  void pack(const std::byte* x, std::byte* packed, cudaStream_t stream) {
    const auto as = [&]<typename T>(T) {
      pack_rows(reinterpret_cast<const T*>(x), made_->rows_to_send.data(), plan_.sent_rows(),
                row_bytes_ / static_cast<Index>(sizeof(T)), reinterpret_cast<T*>(packed), stream);
    };
    const bool by_eight = row_bytes_ % static_cast<Index>(sizeof(double)) == 0 &&
                          reinterpret_cast<std::uintptr_t>(x) % sizeof(double) == 0;
    by_eight ? as(double{}) : as(float{});
  }

  Team& team_;
  GpuLinks* links_;
  Transports* tried_;
  std::optional<Clock> clock_;
  std::unique_ptr<HaloExchange> made_;
  Index row_bytes_ = -1;
  bool is_held_ = false;  // the halo, until release()
};

}  // namespace

std::unique_ptr<HaloCarrier> device_halo_carrier(Team& team, const HaloPlan& plan,
                                                 GpuLinks* links) {
  const bool linked = links != nullptr && &links->team() == &team;
  return std::make_unique<DeviceHaloCarrier>(team, plan, linked ? links : nullptr, nullptr);
}

std::unique_ptr<HaloCarrier> device_halo_carrier(const HaloPlan& plan, Transports& transports) {
  return std::make_unique<DeviceHaloCarrier>(transports.team(), plan, nullptr, &transports);
}

}  // namespace spsolve::cuda::distribute
