#include "distribute/host_backend.hpp"

#include <algorithm>

#include "core/timer.hpp"
#include "core/untouched_array.hpp"
#include "distribute/halo/halo_messages.hpp"

namespace spsolve::inline distribute {

namespace {

/// Elements that are worth waking threads for.
constexpr Index worthwhile = 1 << 14;

template <typename T>
class HostHalo final : public HaloDevice<T> {
 public:
  HostHalo(Team& team, const HaloPlan& plan, std::span<const LocalIndex> boundary_rows, int threads)
      : team_(team),
        plan_(plan),
        boundary_rows_(boundary_rows.begin(), boundary_rows.end()),
        threads_(threads) {}

  void start(const T* x, Index columns) override {
    make_room(columns);
    const Timer packing;
#pragma omp parallel for schedule(static) \
    num_threads(threads_) if (plan_.sent_rows() * columns > worthwhile)
    for (Index i = 0; i < plan_.sent_rows(); ++i) {
      std::copy_n(x + plan_.rows_to_send[i] * columns, columns, outgoing_.data() + i * columns);
    }
    times_ = {};
    times_.pack = packing.seconds();
    const Timer sending;
    messages_->start();
    times_.exchange = sending.seconds();
  }

  void interior(KernelProduct<T>& product, const T* x, T* y, Index columns) override {
    const Timer timer;
    product.multiply(x, y, columns);
    times_.interior = timer.seconds();
  }

  void boundary(KernelProduct<T>* product, T* y, Index columns) override {
    const Timer waiting;
    messages_->wait();
    times_.wait = waiting.seconds();
    if (product == nullptr) return;
    const Timer timer;
    product->multiply(incoming_.data(), sums_.data(), columns);
    const auto rows = static_cast<Index>(boundary_rows_.size());
#pragma omp parallel for schedule(static) num_threads(threads_) if (rows * columns > worthwhile)
    for (Index i = 0; i < rows; ++i) {
      T* const to = y + boundary_rows_[i] * columns;
      const T* const from = sums_.data() + i * columns;
      for (Index c = 0; c < columns; ++c) to[c] += from[c];
    }
    times_.boundary = timer.seconds();
  }

  ProductTimes finish() override {
    return times_;
  }

 private:
  /// Messages are K elements a row: another K needs other ones.
  void make_room(Index columns) {
    if (messages_ != nullptr && columns == columns_) return;
    messages_ = nullptr;
    columns_ = columns;
    outgoing_ = UntouchedArray<T>(plan_.sent_rows() * columns);
    incoming_ = UntouchedArray<T>(plan_.halo_rows() * columns);
    sums_ = UntouchedArray<T>(static_cast<Index>(boundary_rows_.size()) * columns);
    const auto all = [](UntouchedArray<T>& array) {
      return std::span<T>(array.data(), static_cast<std::size_t>(array.size()));
    };
    messages_ = halo_messages<T>(team_, plan_, all(outgoing_), all(incoming_), columns);
  }

  Team& team_;
  const HaloPlan plan_;
  const std::vector<LocalIndex> boundary_rows_;
  const int threads_;
  Index columns_ = 0;
  UntouchedArray<T> outgoing_, incoming_, sums_;
  std::unique_ptr<Messages> messages_;
  ProductTimes times_;
};

template <typename T>
class HostBlock final : public DeviceBlock<T> {
 public:
  explicit HostBlock(Index size) : values_(size) {}
  T* data() override { return values_.data(); }
  void upload(std::span<const T> host) override {
    std::copy(host.begin(), host.end(), values_.data());
  }
  void download(std::span<T> host) override {
    std::copy_n(values_.data(), host.size(), host.begin());
  }

 private:
  UntouchedArray<T> values_;
};

template <typename T>
class HostMaker final : public DeviceMaker<T> {
 public:
  explicit HostMaker(int threads) : threads_(threads) {}
  std::unique_ptr<HaloDevice<T>> halo(Team& team, const HaloPlan& plan,
                                      std::span<const LocalIndex> boundary_rows) override {
    return std::make_unique<HostHalo<T>>(team, plan, boundary_rows, threads_);
  }
  std::unique_ptr<DeviceBlock<T>> block(Index size) override {
    return std::make_unique<HostBlock<T>>(size);
  }

 private:
  int threads_;
};

}  // namespace

HostBackend::HostBackend(int threads)
    : floats_(std::make_unique<HostMaker<float>>(threads)),
      doubles_(std::make_unique<HostMaker<double>>(threads)) {}

HostBackend::~HostBackend() = default;

DeviceMaker<float>& HostBackend::floats() {
  return *floats_;
}
DeviceMaker<double>& HostBackend::doubles() {
  return *doubles_;
}

}  // namespace spsolve::distribute
