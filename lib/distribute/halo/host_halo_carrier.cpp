#include "distribute/halo/host_halo_carrier.hpp"

#include <algorithm>
#include <utility>

#include "core/over_blocks.hpp"
#include "core/timer.hpp"
#include "core/untouched_array.hpp"
#include "distribute/halo/halo_messages.hpp"

namespace spsolve::inline distribute {

namespace {

/// The buffers of leaving and coming rows stay where they are for one length of rows after another.
class HostHaloCarrier final : public HaloCarrier {
 public:
  HostHaloCarrier(Team& team, const HaloPlan& plan) : HaloCarrier(plan), team_(team) {}

  void prepare(const std::byte*, Index row_bytes) override {
    if (row_bytes == row_bytes_) return;
    messages_ = nullptr;
    row_bytes_ = row_bytes;
    leaving_ = UntouchedArray<std::byte>(plan_.sent_rows() * row_bytes);
    coming_ = UntouchedArray<std::byte>(plan_.halo_rows() * row_bytes);
    const auto all = [](UntouchedArray<std::byte>& array) {
      return std::span(array.data(), static_cast<std::size_t>(array.size()));
    };
    messages_ = halo_messages<std::byte>(team_, plan_, all(leaving_), all(coming_), row_bytes);
  }

  const std::byte* bring(const std::byte* x, Index row_bytes) override {
    times_ = {};
    if (plan_.sends.empty() && plan_.receives.empty()) return nullptr;
    prepare(x, row_bytes);
    const Timer packing;
    constexpr Index worthwhile_bytes = worthwhile_elements * static_cast<Index>(sizeof(double));
#pragma omp parallel for schedule(static) if (leaving_.size() > worthwhile_bytes)
    for (Index i = 0; i < plan_.sent_rows(); ++i) {
      std::copy_n(x + plan_.rows_to_send[i] * row_bytes, row_bytes,
                  leaving_.data() + i * row_bytes);
    }
    times_.pack = packing.seconds();
    const Timer sending;
    messages_->start();
    under_way_ = true;
    times_.exchange = sending.seconds();
    return coming_.data();
  }

  void wait() override {
    if (std::exchange(under_way_, false)) messages_->wait();
  }

  /// Rows that leave may be needed where none comes.
  void release() override {
    wait();
  }

  HaloTimes times() const override {
    return times_;
  }

 private:
  Team& team_;
  Index row_bytes_ = -1;
  UntouchedArray<std::byte> leaving_, coming_;
  std::unique_ptr<Messages> messages_;
  bool under_way_ = false;
  HaloTimes times_;
};

}  // namespace

std::unique_ptr<HaloCarrier> host_halo_carrier(Team& team, const HaloPlan& plan) {
  return std::make_unique<HostHaloCarrier>(team, plan);
}

}  // namespace spsolve::distribute
