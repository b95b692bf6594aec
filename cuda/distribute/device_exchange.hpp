#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/team.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/team/nccl_communicator.hpp"
#include "distribute/halo_plan.hpp"

namespace spsolve::cuda {

/// How halo rows travel by the copy engines of GPUs, in words for reports.
inline constexpr std::string_view peer_transport = "copies from GPU to GPU";

/// Carries the rows of a plan between the memories of the ranks' GPUs, for one K at a time. Another
/// transport is another implementation and a line in Transports.
class DeviceExchange {
 public:
  virtual ~DeviceExchange() = default;

  /// How rows travel, in a few words for reports.
  virtual std::string name() const = 0;

  /// From now on rows of `row_bytes` bytes travel; own rows of X are at `x` in GPU memory, for
  /// trials. Nothing may be on its way. Collective.
  virtual void prepare(const std::byte* x, Index row_bytes) = 0;

  /// Where the sent rows are to be packed before start(), in GPU memory, the same until the next
  /// prepare(); null where they leave from X itself.
  virtual std::byte* outgoing() = 0;

  /// Where the halo rows are between finish() and release(), in GPU memory; likewise.
  virtual const std::byte* incoming() const = 0;

  /// What `stream` has packed by then, or has in X, may leave. Waits for nothing.
  virtual void start(const std::byte* x, const Stream& stream) = 0;

  /// What `stream` does from then on finds the halo. May wait for the neighbours.
  virtual void finish(const Stream& stream) = 0;

  /// What `stream` has launched by then is all that reads this halo.
  virtual void release(const Stream& stream) { static_cast<void>(stream); }
};

/// The ways in which rows can travel.
enum class Transport {
  peer,    ///< by the GPUs' copy engines, where all ranks are on one host
  nccl,    ///< by NCCL, as work on the stream
  direct,  ///< by the team's messages from GPU memory, as a CUDA-aware MPI takes them
  pinned,  ///< through page-locked host memory, and from there by the team's messages
};

/// The transports that work between the GPUs of a team.
class Transports {
 public:
  /// Finds them out: for `wanted` auto all that work; for peer, nccl, mpi (direct) or pinned that
  /// one.
  /// Throws Error(resources) on every rank where a wanted one can't be had. Collective; the same on
  /// every rank.
  Transports(Team& team, const std::string& wanted);

  /// Those that can be chosen from, in the order of Transport; at least one.
  std::span<const Transport> usable() const { return usable_; }

  Team& team() const { return team_; }
  std::string name_of(Transport transport) const;
  std::unique_ptr<DeviceExchange> make_exchange(Transport transport, const HaloPlan& plan) const;

 private:
  Team& team_;
  std::unique_ptr<NcclCommunicator> nccl_;
  std::vector<Transport> usable_;
};

}  // namespace spsolve::cuda
