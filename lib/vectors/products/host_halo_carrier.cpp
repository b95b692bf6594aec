#include "vectors/products/host_halo_carrier.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/over_blocks.hpp"
#include "distribute/halo/halo_messages.hpp"
#include "vectors/multivector/host_vectors.hpp"

namespace spsolve::inline vectors {

namespace {

/// The buffers of leaving and coming rows stay where they are for one number of columns after
/// another.
class HostHaloCarrier final : public HaloCarrier {
 public:
  HostHaloCarrier(Team& team, const HaloPlan& plan) : team_(team), plan_(plan) {}

  HaloView bring(const Vectors& x) override {
    const Index columns = x.columns();
    if (plan_.sends.empty() && plan_.receives.empty()) return {nullptr, 0, columns};
    if (columns != columns_) make_room(columns);
    const HostVectors& from = on_host(x);
#pragma omp parallel for schedule(static) if (std::ssize(leaving_) > elements_worth_waking)
    for (Index i = 0; i < plan_.sent_rows(); ++i) {
      std::copy_n(from.row(plan_.rows_to_send[i]), columns, leaving_.data() + i * columns);
    }
    messages_->start();
    under_way_ = true;
    HaloView view(coming_.data(), plan_.halo_rows(), columns);
    view.carrier = this;
    return view;
  }

  void wait() override {
    if (std::exchange(under_way_, false)) messages_->wait();
  }

  /// Rows that leave may be needed where none comes.
  void release() override {
    wait();
  }

 private:
  void make_room(Index columns) {
    messages_ = nullptr;
    columns_ = columns;
    leaving_.resize(static_cast<std::size_t>(plan_.sent_rows() * columns));
    coming_.resize(static_cast<std::size_t>(plan_.halo_rows() * columns));
    messages_ = halo_messages<double>(team_, plan_, leaving_, coming_, columns);
  }

  Team& team_;
  const HaloPlan& plan_;
  Index columns_ = -1;
  std::vector<double> leaving_, coming_;
  std::unique_ptr<Messages> messages_;
  bool under_way_ = false;
};

}  // namespace

std::unique_ptr<HaloCarrier> host_halo_carrier(Team& team, const HaloPlan& plan) {
  return std::make_unique<HostHaloCarrier>(team, plan);
}

}  // namespace spsolve::vectors
