#include "cuda/distribute/device_exchange.hpp"

#include <vector>

#include "cuda/core/device_array.hpp"
#include "cuda/core/pinned_array.hpp"
#include "distribute/halo_messages.hpp"

namespace spsolve::cuda {

namespace {

std::span<const std::byte> bytes_of(const std::byte* data, Index size) {
  return {data, static_cast<std::size_t>(size)};
}
std::span<std::byte> bytes_of(std::byte* data, Index size) {
  return {data, static_cast<std::size_t>(size)};
}

/// Through page-locked memory of the host.
class PinnedExchange final : public DeviceExchange {
 public:
  PinnedExchange(Team& team, const HaloPlan& plan) : team_(team), plan_(plan) {}

  std::string name() const override { return name_of(Transport::pinned); }

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

  std::string name() const override { return name_of(Transport::direct); }

  void prepare(const std::byte* outgoing, std::byte* incoming, Index row_bytes) override {
    messages_ = nullptr;
    messages_ =
        halo_messages<std::byte>(team_, plan_, bytes_of(outgoing, plan_.sent_rows() * row_bytes),
                                 bytes_of(incoming, plan_.halo_rows() * row_bytes), row_bytes);
  }

  void start(const Stream&) override {}

  void finish(const Stream& stream) override {
    stream.wait();
    messages_->start();
    messages_->wait();
  }

 private:
  Team& team_;
  const HaloPlan& plan_;
  std::unique_ptr<Messages> messages_;
};

/// Whether a pattern that the previous rank sends from its GPU arrives on this one's.
bool pattern_arrives(Team& team) {
  constexpr Index size = Index{1} << 20;
  const auto pattern = [](int rank) {
    std::vector<unsigned char> bytes(static_cast<std::size_t>(size));
    for (Index i = 0; i < size; ++i) {
      bytes[i] = static_cast<unsigned char>((i * 7 + rank * 31) % 251);
    }
    return bytes;
  };
  const int next = (team.rank() + 1) % team.size();
  const int previous = (team.rank() + team.size() - 1) % team.size();
  struct Buffers {
    DeviceArray<unsigned char> mine, theirs;
  };
  Buffers buffers = together(team, [&] {
    return Buffers{DeviceArray<unsigned char>(pattern(team.rank())),
                   DeviceArray<unsigned char>(std::vector<unsigned char>(size, 255))};
  });
  const Outgoing outgoing{next,
                          bytes_of(reinterpret_cast<const std::byte*>(buffers.mine.data()), size)};
  const Incoming incoming{previous,
                          bytes_of(reinterpret_cast<std::byte*>(buffers.theirs.data()), size)};
  const auto messages = team.messages(std::span(&outgoing, 1), std::span(&incoming, 1));
  messages->start();
  messages->wait();
  std::vector<unsigned char> arrived(static_cast<std::size_t>(size));
  buffers.theirs.download(arrived);
  return arrived == pattern(previous);
}

}  // namespace

Transport choose_transport(Team& team) {
  const auto all = [&](bool mine) { return all_sum(team, mine ? 0 : 1) == 0; };
  if (team.size() == 1 || !all(team.claims_gpu_memory())) return Transport::pinned;
  return all(pattern_arrives(team)) ? Transport::direct : Transport::pinned;
}

std::string name_of(Transport transport) {
  return transport == Transport::direct ? "CUDA-aware MPI" : "MPI through pinned host memory";
}

std::unique_ptr<DeviceExchange> make_exchange(Transport transport, Team& team,
                                              const HaloPlan& plan) {
  if (transport == Transport::direct) return std::make_unique<DirectExchange>(team, plan);
  return std::make_unique<PinnedExchange>(team, plan);
}

}  // namespace spsolve::cuda
