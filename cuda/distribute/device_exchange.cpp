#include "cuda/distribute/device_exchange.hpp"

#include "cuda/core/pinned_array.hpp"
#include "cuda/distribute/leaving_rows.hpp"
#include "cuda/distribute/peer_exchange.hpp"
#include "distribute/halo/halo_messages.hpp"

namespace spsolve::cuda::inline distribute {

namespace {

/// Rows that leave, and rows that come, in memory of the exchange.
struct HaloBuffers {
  HaloBuffers(const HaloPlan& of, bool packs) : plan(of), leaving(of, packs) {}

  void make_room(Index bytes_of_row) {
    row_bytes = bytes_of_row;
    leaving.make_room(row_bytes);
    coming.grow(coming_bytes());
  }
  Index coming_bytes() const { return plan.halo_rows() * row_bytes; }

  std::span<std::byte> target(const HaloPlan::NeighbourRows& part) {
    return {coming.data() + part.first * row_bytes,
            static_cast<std::size_t>(part.count * row_bytes)};
  }

  const HaloPlan& plan;
  LeavingRows leaving;
  DeviceArray<std::byte> coming;
  Index row_bytes = 0;
};

/// Exchanges by NCCL as work on the stream, which the host does not wait for.
class NcclExchange final : public DeviceExchange {
 public:
  NcclExchange(NcclCommunicator& nccl, const HaloPlan& plan)
      : nccl_(nccl), plan_(plan), rows_(plan, false) {}

  std::string name() const override { return nccl_.name(); }
  std::byte* outgoing() override { return rows_.leaving.packed(); }
  const std::byte* incoming() const override { return rows_.coming.data(); }

  void prepare(const std::byte*, Index row_bytes) override {
    rows_.make_room(row_bytes);
    receives_.clear();
    for (const HaloPlan::NeighbourRows& part : plan_.receives) {
      receives_.push_back({part.rank, rows_.target(part)});
    }
  }

  void start(const std::byte* x, cudaStream_t stream) override {
    sends_.clear();
    for (const HaloPlan::NeighbourRows& part : plan_.sends) {
      sends_.push_back({part.rank, rows_.leaving.of(part, x)});
    }
    nccl_.exchange(sends_, receives_, stream);
  }
  void finish(cudaStream_t) override {}

 private:
  NcclCommunicator& nccl_;
  const HaloPlan& plan_;
  HaloBuffers rows_;
  std::vector<Outgoing> sends_;
  std::vector<Incoming> receives_;
};

/// Through page-locked memory of the host.
class PinnedExchange final : public DeviceExchange {
 public:
  PinnedExchange(Team& team, const HaloPlan& plan) : team_(team), plan_(plan), rows_(plan, true) {}

  std::string name() const override { return std::string(pinned_transport); }
  std::byte* outgoing() override { return rows_.leaving.packed(); }
  const std::byte* incoming() const override { return rows_.coming.data(); }

  void prepare(const std::byte*, Index row_bytes) override {
    messages_ = nullptr;
    rows_.make_room(row_bytes);
    outgoing_.grow(rows_.leaving.bytes());
    incoming_.grow(rows_.coming_bytes());
    messages_ = halo_messages<std::byte>(
        team_, plan_, std::span<const std::byte>(outgoing_.data(), rows_.leaving.bytes()),
        std::span(incoming_.data(), rows_.coming_bytes()), row_bytes);
  }

  void start(const std::byte*, cudaStream_t stream) override {
    if (rows_.leaving.bytes() > 0) {
      CUDA_CHECK(cudaMemcpyAsync(outgoing_.data(), outgoing(),
                                 static_cast<std::size_t>(rows_.leaving.bytes()),
                                 cudaMemcpyDeviceToHost, stream));
    }
  }

  void finish(cudaStream_t stream) override {
    if (plan_.sends.empty() && plan_.receives.empty()) return;
    // Rows that leave are in host memory, and rows that came last time have left it.
    wait_for(stream);
    messages_->start();
    messages_->wait();
    if (rows_.coming_bytes() > 0) {
      CUDA_CHECK(cudaMemcpyAsync(rows_.coming.data(), incoming_.data(),
                                 static_cast<std::size_t>(rows_.coming_bytes()),
                                 cudaMemcpyHostToDevice, stream));
    }
  }

 private:
  Team& team_;
  const HaloPlan& plan_;
  HaloBuffers rows_;
  PinnedArray<std::byte> outgoing_, incoming_;
  std::unique_ptr<Messages> messages_;
};

/// The team takes GPU memory.
class DirectExchange final : public DeviceExchange {
 public:
  DirectExchange(Team& team, const HaloPlan& plan) : team_(team), plan_(plan), rows_(plan, true) {}

  std::string name() const override { return std::string(direct_transport); }
  std::byte* outgoing() override { return rows_.leaving.packed(); }
  const std::byte* incoming() const override { return rows_.coming.data(); }

  void prepare(const std::byte*, Index row_bytes) override {
    messages_ = nullptr;
    rows_.make_room(row_bytes);
    messages_ = halo_messages<std::byte>(
        team_, plan_, std::span<const std::byte>(outgoing(), rows_.leaving.bytes()),
        std::span(rows_.coming.data(), rows_.coming_bytes()), row_bytes);
  }

  void start(const std::byte*, cudaStream_t) override {}

  void finish(cudaStream_t stream) override {
    if (plan_.sends.empty() && plan_.receives.empty()) return;
    wait_for(stream);
    messages_->start();
    messages_->wait();
  }

 private:
  Team& team_;
  const HaloPlan& plan_;
  HaloBuffers rows_;
  std::unique_ptr<Messages> messages_;
};

}  // namespace

std::unique_ptr<DeviceExchange> make_exchange(Transports& transports, Transport transport,
                                              const HaloPlan& plan) {
  switch (transport) {
    case Transport::peer:
      return std::make_unique<PeerExchange>(transports.team(), plan);
    case Transport::nccl:
      return std::make_unique<NcclExchange>(transports.nccl(), plan);
    case Transport::mpi:
      return std::make_unique<DirectExchange>(transports.team(), plan);
    default:
      return std::make_unique<PinnedExchange>(transports.team(), plan);
  }
}

}  // namespace spsolve::cuda::distribute
