#include "cuda/team/gpu_team.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/error.hpp"
#include "core/tuning.hpp"

namespace spsolve::cuda::inline team {

namespace {

/// Bytes that are copied while as many travel.
constexpr auto piece = static_cast<std::size_t>(gpu_tuning.message_piece);

/// MPI takes GPU memory as it is.
class DirectTeam final : public GpuTeam {
 public:
  using GpuTeam::GpuTeam;

  void broadcast_bytes(std::span<std::byte> data, int root) override {
    stream_.wait();
    team_->broadcast_bytes(data, root);
  }
  void exchange_bytes(std::span<std::byte> data, int partner) override {
    stream_.wait();
    team_->exchange_bytes(data, partner);
  }
  void exchange_parts(std::span<const Outgoing> outgoing,
                      std::span<const Incoming> incoming) override {
    stream_.wait();
    team_->exchange_parts(outgoing, incoming);
  }
  std::unique_ptr<GpuTeam> on(const Stream& stream) const override {
    return std::make_unique<DirectTeam>(team_, stream);
  }
  std::unique_ptr<GpuTeam> split_gpus(int group, int order) const override {
    return split_into<DirectTeam>(group, order);
  }
  std::string transport() const override { return std::string(direct_transport); }
};

}  // namespace

GpuTeam::GpuTeam(Team& team, const Stream& stream)
    : GpuTeam(std::shared_ptr<Team>(std::shared_ptr<Team>(), &team), stream) {}

GpuTeam::GpuTeam(std::shared_ptr<Team> team, const Stream& stream)
    : team_(std::move(team)), stream_(stream) {}

std::span<std::byte> GpuTeam::staged(std::size_t bytes, int buffer) {
  staging_[buffer].grow(static_cast<Index>(bytes));
  return {staging_[buffer].data(), bytes};
}

void GpuTeam::to_host(std::span<std::byte> host, const std::byte* device) {
  if (host.empty()) return;
  CUDA_CHECK(
      cudaMemcpyAsync(host.data(), device, host.size(), cudaMemcpyDeviceToHost, stream_.get()));
}

void GpuTeam::to_gpu(std::byte* device, std::span<const std::byte> host) {
  if (host.empty()) return;
  CUDA_CHECK(
      cudaMemcpyAsync(device, host.data(), host.size(), cudaMemcpyHostToDevice, stream_.get()));
}

void GpuTeam::broadcast_bytes(std::span<std::byte> data, int root) {
  if (size() == 1 || data.empty()) return;
  const bool sends = rank() == root;
  const auto piece_at = [&](std::size_t first) {
    return data.subspan(first, std::min(piece, data.size() - first));
  };
  // While one piece travels, the next one leaves the root's GPU, and the last one enters the
  // others'.
  int buffer = 0;
  if (sends) {
    const auto first = piece_at(0);
    to_host(staged(piece, 0).first(first.size()), first.data());
    copied_[0].record(stream_);
  }
  for (std::size_t at = 0; at < data.size(); at += piece, buffer = 1 - buffer) {
    const auto now = piece_at(at);
    const auto host = staged(piece, buffer).first(now.size());
    if (at >= 2 * piece || sends) copied_[buffer].wait();
    if (sends && at + piece < data.size()) {
      const auto next = piece_at(at + piece);
      to_host(staged(piece, 1 - buffer).first(next.size()), next.data());
      copied_[1 - buffer].record(stream_);
    }
    team_->broadcast_bytes(host, root);
    if (!sends) {
      to_gpu(now.data(), host);
      copied_[buffer].record(stream_);
    }
  }
  if (!sends) stream_.wait();
}

void GpuTeam::all_gather_bytes(std::span<const std::byte> mine, std::span<std::byte> all) {
  const auto host = staged(mine.size(), 0);
  const auto gathered = staged(all.size(), 1);
  to_host(host, mine.data());
  stream_.wait();
  team_->all_gather_bytes(host, gathered);
  to_gpu(all.data(), gathered);
  stream_.wait();
}

void GpuTeam::send_bytes(std::span<const std::byte> data, int to) {
  const auto host = staged(data.size(), 0);
  to_host(host, data.data());
  stream_.wait();
  team_->send_bytes(host, to);
}

void GpuTeam::receive_bytes(std::span<std::byte> data, int from) {
  const auto host = staged(data.size(), 0);
  team_->receive_bytes(host, from);
  to_gpu(data.data(), host);
  stream_.wait();
}

void GpuTeam::exchange_bytes(std::span<std::byte> data, int partner) {
  const auto host = staged(data.size(), 0);
  to_host(host, data.data());
  stream_.wait();
  team_->exchange_bytes(host, partner);
  to_gpu(data.data(), host);
  stream_.wait();
}

void GpuTeam::exchange_parts(std::span<const Outgoing> outgoing,
                             std::span<const Incoming> incoming) {
  // Messages likewise between pieces of host memory.
  std::vector<Outgoing> sent(outgoing.begin(), outgoing.end());
  std::vector<Incoming> received(incoming.begin(), incoming.end());
  const auto place = [&](auto& messages, int buffer) {
    std::size_t bytes = 0;
    for (const auto& message : messages) bytes += message.data.size();
    std::span<std::byte> host = staged(bytes, buffer);
    for (auto& message : messages) {
      const std::span<std::byte> part = host.first(message.data.size());
      host = host.subspan(part.size());
      message.data = part;
    }
  };
  place(sent, 0);
  place(received, 1);
  for (std::size_t i = 0; i < outgoing.size(); ++i) {
    to_host({const_cast<std::byte*>(sent[i].data.data()), sent[i].data.size()},
            outgoing[i].data.data());
  }
  stream_.wait();
  team_->exchange_parts(sent, received);
  for (std::size_t i = 0; i < incoming.size(); ++i) {
    to_gpu(incoming[i].data.data(), received[i].data);
  }
  stream_.wait();
}

void GpuTeam::abort(ExitCode code) {
  team_->abort(code);
  std::_Exit(static_cast<int>(code));
}

std::unique_ptr<Team> GpuTeam::split(int group, int order) {
  return split_gpus(group, order);
}

std::unique_ptr<GpuTeam> GpuTeam::split_gpus(int group, int order) const {
  return split_into<GpuTeam>(group, order);
}

std::unique_ptr<Messages> GpuTeam::messages(std::span<const Outgoing>, std::span<const Incoming>) {
  fail(ExitCode::internal, "a team of GPUs has no persistent messages; see DeviceExchange");
}

std::unique_ptr<GpuTeam> make_direct_team(Team& team, const Stream& stream) {
  return std::make_unique<DirectTeam>(team, stream);
}

}  // namespace spsolve::cuda::team
