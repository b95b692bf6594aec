#include "cuda/distribute/device_exchange.hpp"

#include "cuda/core/pinned_array.hpp"
#include "cuda/team/gpu_team.hpp"
#include "distribute/halo_messages.hpp"

namespace spsolve::cuda {

namespace {

std::span<const std::byte> bytes_of(const std::byte* data, Index size) {
  return {data, static_cast<std::size_t>(size)};
}
std::span<std::byte> bytes_of(std::byte* data, Index size) {
  return {data, static_cast<std::size_t>(size)};
}

/// As work on the stream, which the host does not wait for.
class NcclExchange final : public DeviceExchange {
 public:
  NcclExchange(NcclCommunicator& nccl, const HaloPlan& plan) : nccl_(nccl), plan_(plan) {}

  std::string name() const override { return nccl_.name(); }

  void prepare(const std::byte* outgoing, std::byte* incoming, Index row_bytes) override {
    parts_ = halo_parts<std::byte>(plan_, bytes_of(outgoing, plan_.sent_rows() * row_bytes),
                                   bytes_of(incoming, plan_.halo_rows() * row_bytes), row_bytes);
  }

  void start(const Stream& stream) override {
    nccl_.exchange(parts_.sends, parts_.receives, stream);
  }
  void finish(const Stream&) override {}

 private:
  NcclCommunicator& nccl_;
  const HaloPlan& plan_;
  HaloParts parts_;
};

/// Through page-locked memory of the host.
class PinnedExchange final : public DeviceExchange {
 public:
  PinnedExchange(Team& team, const HaloPlan& plan) : team_(team), plan_(plan) {}

  std::string name() const override { return std::string(pinned_transport); }

  void prepare(const std::byte* outgoing, std::byte* incoming, Index row_bytes) override {
    messages_ = nullptr;
    from_ = outgoing;
    to_ = incoming;
    leaving_ = plan_.sent_rows() * row_bytes;
    coming_ = plan_.halo_rows() * row_bytes;
    outgoing_.grow(leaving_);
    incoming_.grow(coming_);
    messages_ = halo_messages<std::byte>(team_, plan_, bytes_of(outgoing_.data(), leaving_),
                                         bytes_of(incoming_.data(), coming_), row_bytes);
  }

  void start(const Stream& stream) override {
    if (leaving_ > 0) {
      CUDA_CHECK(cudaMemcpyAsync(outgoing_.data(), from_, static_cast<std::size_t>(leaving_),
                                 cudaMemcpyDeviceToHost, stream.get()));
    }
  }

  void finish(const Stream& stream) override {
    if (leaving_ == 0 && coming_ == 0) return;
    // What leaves is in host memory, and what came last time has left it.
    stream.wait();
    messages_->start();
    messages_->wait();
    if (coming_ > 0) {
      CUDA_CHECK(cudaMemcpyAsync(to_, incoming_.data(), static_cast<std::size_t>(coming_),
                                 cudaMemcpyHostToDevice, stream.get()));
    }
  }

 private:
  Team& team_;
  const HaloPlan& plan_;
  const std::byte* from_ = nullptr;
  std::byte* to_ = nullptr;
  Index leaving_ = 0, coming_ = 0;  ///< bytes
  PinnedArray<std::byte> outgoing_, incoming_;
  std::unique_ptr<Messages> messages_;
};

/// The team takes GPU memory.
class DirectExchange final : public DeviceExchange {
 public:
  DirectExchange(Team& team, const HaloPlan& plan) : team_(team), plan_(plan) {}

  std::string name() const override { return std::string(direct_transport); }

  void prepare(const std::byte* outgoing, std::byte* incoming, Index row_bytes) override {
    messages_ = nullptr;
    messages_ =
        halo_messages<std::byte>(team_, plan_, bytes_of(outgoing, plan_.sent_rows() * row_bytes),
                                 bytes_of(incoming, plan_.halo_rows() * row_bytes), row_bytes);
  }

  void start(const Stream&) override {}

  void finish(const Stream& stream) override {
    if (plan_.sends.empty() && plan_.receives.empty()) return;
    stream.wait();
    messages_->start();
    messages_->wait();
  }

 private:
  Team& team_;
  const HaloPlan& plan_;
  std::unique_ptr<Messages> messages_;
};

}  // namespace

/// Multiprocessors that NCCL may take from the product of the interior: with more the halo comes
/// sooner than it is needed. Measured on four H200 with grid3d27:127:3, K = 16: 0.768 ms with 8,
/// 0.778 with NCCL's choice, 0.770 with 1 to 4.
constexpr int blocks_beside_interior = 8;

Transports::Transports(Team& team, const std::string& wanted) : team_(team) {
  const bool any = wanted == "auto";
  if (team.size() > 1 && (any || wanted == "nccl")) {
    std::string reason;
    nccl_ = make_nccl_communicator(team, blocks_beside_interior, reason);
    if (nccl_ != nullptr) usable_.push_back(Transport::nccl);
    if (nccl_ == nullptr && !any) refuse_transport(wanted, reason);
  }
  if (team.size() > 1 && (any || wanted == "mpi")) {
    const bool takes = takes_gpu_memory(team);
    if (takes) usable_.push_back(Transport::direct);
    if (!takes && !any) refuse_transport(wanted, std::string(no_gpu_memory));
  }
  if (any || usable_.empty()) usable_.push_back(Transport::pinned);
}

std::string Transports::name_of(Transport transport) const {
  switch (transport) {
    case Transport::nccl:
      return nccl_->name();
    case Transport::direct:
      return std::string(direct_transport);
    default:
      return std::string(pinned_transport);
  }
}

std::unique_ptr<DeviceExchange> Transports::make_exchange(Transport transport,
                                                          const HaloPlan& plan) const {
  switch (transport) {
    case Transport::nccl:
      return std::make_unique<NcclExchange>(*nccl_, plan);
    case Transport::direct:
      return std::make_unique<DirectExchange>(team_, plan);
    default:
      return std::make_unique<PinnedExchange>(team_, plan);
  }
}

}  // namespace spsolve::cuda
