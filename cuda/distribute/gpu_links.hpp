#pragma once

#include <optional>
#include <string>

#include "cuda/team/transports.hpp"

namespace spsolve::cuda::inline distribute {

/// The links by which multivectors in the memory of the ranks' GPUs reach each other. Few messages
/// are worth no start of anything: they go through host memory until expect_many().
class GpuLinks {
 public:
  /// Starts nothing.
  GpuLinks(Team& team, Transport wanted) : team_(team), wanted_(wanted) {}

  Team& team() const { return team_; }

  /// From now on messages take the wanted transport, or the one for messages; see Transports.
  /// Collective.
  void expect_many();

  /// Whether that was called.
  bool expects_many() const { return transports_.has_value(); }

  /// The transports that work since then, and the choice among them.
  Transports& transports() { return *transports_; }
  std::string name() const { return transports_->name_of(transport_); }
  Transport transport() const { return transport_; }

  /// Where that is NCCL, else null.
  NcclCommunicator* nccl() const {
    return transport_ == Transport::nccl ? &transports_->nccl() : nullptr;
  }

 private:
  /// NCCL connects GPUs when they first talk, which takes a tenth of a second: neighbours do here.
  void connect();

  Team& team_;
  Transport wanted_;
  std::optional<Transports> transports_;
  Transport transport_ = Transport::pinned;
};

}  // namespace spsolve::cuda::distribute
