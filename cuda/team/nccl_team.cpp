#include "cuda/team/nccl_team.hpp"

#include "core/error.hpp"
#include "cuda/core/device_array.hpp"

namespace spsolve::cuda::inline team {

namespace {

/// Broadcasts, all-gathers and exchanges by NCCL, on the stream; what is rare goes through host
/// memory.
class NcclTeam final : public GpuTeam {
 public:
  NcclTeam(std::shared_ptr<Team> team, const Stream& stream, std::shared_ptr<NcclCommunicator> nccl)
      : GpuTeam(std::move(team), stream), nccl_(std::move(nccl)) {}
  NcclTeam(Team& team, const Stream& stream, std::shared_ptr<NcclCommunicator> nccl)
      : GpuTeam(team, stream), nccl_(std::move(nccl)) {}

  void broadcast_bytes(std::span<std::byte> data, int root) override {
    nccl_->broadcast(data, root, stream_.get());
  }

  void broadcast_parts(std::span<const BroadcastPart> parts) override {
    nccl_->broadcast(parts, stream_.get());
  }

  void all_gather_bytes(std::span<const std::byte> mine, std::span<std::byte> all) override {
    nccl_->all_gather(mine, all, stream_.get());
  }

  void exchange_bytes(std::span<std::byte> data, int partner) override {
    if (data.empty()) return;
    if (received_.size() < static_cast<Index>(data.size())) stream_.wait();
    received_.grow(static_cast<Index>(data.size()));
    const Outgoing mine{partner, data};
    const Incoming theirs{partner, {received_.data(), data.size()}};
    nccl_->exchange(std::span(&mine, 1), std::span(&theirs, 1), stream_.get());
    CUDA_CHECK(cudaMemcpyAsync(data.data(), received_.data(), data.size(), cudaMemcpyDeviceToDevice,
                               stream_.get()));
  }

  void exchange_parts(std::span<const Outgoing> outgoing,
                      std::span<const Incoming> incoming) override {
    nccl_->exchange(outgoing, incoming, stream_.get());
  }

  std::unique_ptr<GpuTeam> on(const Stream& stream) const override {
    return std::make_unique<NcclTeam>(team_, stream, nccl_);
  }
  std::unique_ptr<GpuTeam> beside(const Stream& stream) const override {
    std::string reason;
    auto nccl = make_nccl_communicator(*team_, 0, reason);
    if (nccl == nullptr) fail_everywhere(ExitCode::resources, "{}", reason);
    return std::make_unique<NcclTeam>(team_, stream, std::move(nccl));
  }
  std::unique_ptr<GpuTeam> split_gpus(int group, int order) const override {
    stream_.wait();
    std::shared_ptr<Team> part = team_->split(group, order);
    std::shared_ptr<NcclCommunicator> nccl = nccl_->split(*team_, group, order);
    if (part == nullptr) return nullptr;
    return std::make_unique<NcclTeam>(std::move(part), stream_, std::move(nccl));
  }
  std::string transport() const override { return nccl_->name(); }

 private:
  std::shared_ptr<NcclCommunicator> nccl_;
  DeviceArray<std::byte> received_;
};

}  // namespace

std::unique_ptr<GpuTeam> make_nccl_team(Team& team, const Stream& stream,
                                        std::shared_ptr<NcclCommunicator> nccl) {
  return std::make_unique<NcclTeam>(team, stream, std::move(nccl));
}

}  // namespace spsolve::cuda::team
