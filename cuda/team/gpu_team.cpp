#include "cuda/team/gpu_team.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/error.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/team/nccl_team.hpp"

namespace spsolve::cuda {

namespace {

/// Bytes that are copied while as many travel.
constexpr std::size_t piece = std::size_t{4} << 20;

/// MPI takes GPU memory as it is.
class DirectTeam final : public GpuTeam {
 public:
  using GpuTeam::GpuTeam;

  void broadcast_bytes(std::span<std::byte> data, int root) override {
    stream_.wait();
    team_.broadcast_bytes(data, root);
  }
  void exchange_bytes(std::span<std::byte> data, int partner) override {
    stream_.wait();
    team_.exchange_bytes(data, partner);
  }
  std::unique_ptr<GpuTeam> on(const Stream& stream) const override {
    return std::make_unique<DirectTeam>(team_, stream);
  }
  std::string transport() const override { return std::string(direct_transport); }
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
  const Outgoing outgoing{next, std::as_bytes(std::span(buffers.mine.data(), size))};
  const Incoming incoming{previous, std::as_writable_bytes(std::span(buffers.theirs.data(), size))};
  const auto messages = team.messages(std::span(&outgoing, 1), std::span(&incoming, 1));
  messages->start();
  messages->wait();
  std::vector<unsigned char> arrived(static_cast<std::size_t>(size));
  buffers.theirs.download(arrived);
  return arrived == pattern(previous);
}

}  // namespace

bool takes_gpu_memory(Team& team) {
  const auto all = [&](bool mine) { return all_sum(team, mine ? 0 : 1) == 0; };
  return team.size() > 1 && all(team.claims_gpu_memory()) && all(pattern_arrives(team));
}

void refuse_transport(const std::string& wanted, const std::string& reason) {
  fail_everywhere(ExitCode::resources, "transport={}: {}; use transport=auto", wanted, reason);
}

GpuTeam::GpuTeam(Team& team, const Stream& stream) : team_(team), stream_(stream) {}

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
    team_.broadcast_bytes(host, root);
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
  team_.all_gather_bytes(host, gathered);
  to_gpu(all.data(), gathered);
  stream_.wait();
}

void GpuTeam::send_bytes(std::span<const std::byte> data, int to) {
  const auto host = staged(data.size(), 0);
  to_host(host, data.data());
  stream_.wait();
  team_.send_bytes(host, to);
}

void GpuTeam::receive_bytes(std::span<std::byte> data, int from) {
  const auto host = staged(data.size(), 0);
  team_.receive_bytes(host, from);
  to_gpu(data.data(), host);
  stream_.wait();
}

void GpuTeam::exchange_bytes(std::span<std::byte> data, int partner) {
  const auto host = staged(data.size(), 0);
  to_host(host, data.data());
  stream_.wait();
  team_.exchange_bytes(host, partner);
  to_gpu(data.data(), host);
  stream_.wait();
}

void GpuTeam::abort(ExitCode code) {
  team_.abort(code);
  std::_Exit(static_cast<int>(code));
}

std::unique_ptr<Messages> GpuTeam::messages(std::span<const Outgoing>, std::span<const Incoming>) {
  fail(ExitCode::internal, "a team of GPUs has no persistent messages; see DeviceExchange");
}

std::unique_ptr<GpuTeam> make_gpu_team(Team& team, const Stream& stream,
                                       const std::string& wanted) {
  const bool any = wanted == "auto";
  if (team.size() > 1 && (any || wanted == "nccl")) {
    std::string reason;
    if (auto nccl = make_nccl_team(team, stream, reason)) return nccl;
    if (!any) refuse_transport(wanted, reason);
  }
  if (team.size() > 1 && (any || wanted == "mpi")) {
    if (takes_gpu_memory(team)) return std::make_unique<DirectTeam>(team, stream);
    if (!any) refuse_transport(wanted, std::string(no_gpu_memory));
  }
  return std::make_unique<GpuTeam>(team, stream);
}

}  // namespace spsolve::cuda
