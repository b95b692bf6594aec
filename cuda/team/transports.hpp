#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/team/gpu_team.hpp"
#include "cuda/team/nccl_communicator.hpp"
#include "distribute/layout/options.hpp"

namespace spsolve::cuda::inline team {

/// How rows travel by the copy engines of GPUs, in words for reports.
inline constexpr std::string_view peer_transport = "copies from GPU to GPU";

/// The transports between the GPUs of a team, for its messages (make_team()) and for halos
/// (make_exchange() in cuda/distribute/device_exchange.hpp). Transports are tried once, when they
/// are first asked for: NCCL is started where it is used only.
class Transports {
 public:
  /// With a `wanted` other than automatic no other transport is tried or taken; throws
  /// Error(resources) on every rank where that one can't be had. A rank alone has no use for any.
  /// Collective; the same on every rank.
  Transports(Team& team, Transport wanted);

  Team& team() const { return team_; }

  /// The transports that a halo may take: the wanted one, or all that work, the least disturbing
  /// first: peer, nccl, mpi, pinned; where no rank has `any_halo`, none is tried, and it is pinned.
  /// Collective when first called.
  std::vector<Transport> for_halos(bool any_halo);

  /// The transport that the ranks' messages take: the wanted one, or the first of nccl, mpi and
  /// pinned that works; peers have no messages, so that with them it is pinned. Collective when
  /// first called.
  Transport for_messages();

  /// The ranks' messages by that, in order with the work on `stream`. May outlive this object, not
  /// its team. Collective.
  std::unique_ptr<GpuTeam> make_team(const Stream& stream);

  /// In words for reports; of a transport that works.
  std::string name_of(Transport transport) const;

  /// Where nccl works.
  NcclCommunicator& nccl() const { return *nccl_; }

 private:
  /// "" where GPUs reach each other so, or why not. Collective when first called for a transport.
  const std::string& why_not(Transport transport);
  std::string try_out(Transport transport);

  Team& team_;
  Transport wanted_;
  std::map<Transport, std::string> tried_;
  std::shared_ptr<NcclCommunicator> nccl_;
};

}  // namespace spsolve::cuda::team
