#include "cuda/team/transports.hpp"

#include "config/config.hpp"
#include "core/error.hpp"
#include "core/tuning.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/team/nccl_team.hpp"
#include "cuda/team/peer_memory.hpp"
#include "cuda/team/shared_gpu.hpp"

namespace spsolve::cuda::inline team {

namespace {

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

/// Whether the team's messages go from GPU to GPU: it claims that it takes GPU memory, and 1 MiB,
/// really sent around the ranks, arrives as it was. Collective; the same on every rank.
bool takes_gpu_memory(Team& team) {
  const auto all = [&](bool mine) { return all_sum(team, mine ? 0 : 1) == 0; };
  return all(team.claims_gpu_memory()) && all(pattern_arrives(team));
}

}  // namespace

Transports::Transports(Team& team, Transport wanted)
    : team_(team), wanted_(team.size() == 1 ? Transport::pinned : wanted) {
  if (wanted_ == Transport::automatic) return;
  if (const std::string& reason = why_not(wanted_); !reason.empty()) {
    fail_everywhere(ExitCode::resources, "transport={}: {}; use transport=auto", name(wanted_),
                    reason);
  }
}

const std::string& Transports::why_not(Transport transport) {
  auto found = tried_.find(transport);
  if (found == tried_.end()) found = tried_.emplace(transport, try_out(transport)).first;
  return found->second;
}

std::string Transports::try_out(Transport transport) {
  std::string reason;
  switch (transport) {
    case Transport::peer:
      if (some_share_a_gpu(team_)) {
        reason =
            "some ranks share a GPU, whose turns a rank would spend on waiting there for the "
            "others";
      } else if (!peers_reach_each_other(team_)) {
        reason = "the GPUs of some ranks can't copy to each other's memory";
      }
      break;
    case Transport::nccl:
      nccl_ = make_nccl_communicator(team_, gpu_tuning.nccl_blocks_beside_work, reason);
      break;
    case Transport::mpi:
      if (!takes_gpu_memory(team_)) {
        reason =
            "this MPI does not take GPU memory (a message that was tried did not arrive, or it "
            "says so itself)";
      }
      break;
    default:
      break;  // through host memory they always do
  }
  return reason;
}

std::vector<Transport> Transports::for_halos(bool any_halo) {
  if (wanted_ != Transport::automatic) return {wanted_};
  if (!any_halo) return {Transport::pinned};
  std::vector<Transport> working;
  for (const Transport transport :
       {Transport::peer, Transport::nccl, Transport::mpi, Transport::pinned}) {
    if (why_not(transport).empty()) working.push_back(transport);
  }
  return working;
}

Transport Transports::for_messages() {
  for (const Transport transport : {Transport::nccl, Transport::mpi}) {
    if (wanted_ == transport || (wanted_ == Transport::automatic && why_not(transport).empty())) {
      return transport;
    }
  }
  return Transport::pinned;
}

std::unique_ptr<GpuTeam> Transports::make_team(const Stream& stream) {
  switch (for_messages()) {
    case Transport::nccl:
      return make_nccl_team(team_, stream, nccl_);
    case Transport::mpi:
      return make_direct_team(team_, stream);
    default:
      return std::make_unique<GpuTeam>(team_, stream);
  }
}

std::string Transports::name_of(Transport transport) const {
  switch (transport) {
    case Transport::peer:
      return std::string(peer_transport);
    case Transport::nccl:
      return nccl_->name();
    case Transport::mpi:
      return std::string(direct_transport);
    default:
      return std::string(pinned_transport);
  }
}

}  // namespace spsolve::cuda::team
