#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/team.hpp"
#include "cuda/core/pinned_array.hpp"
#include "cuda/core/stream.hpp"

namespace spsolve::cuda {

/// How messages travel where the team carries them, in words for reports.
inline constexpr std::string_view direct_transport = "CUDA-aware MPI";
inline constexpr std::string_view pinned_transport = "MPI through pinned host memory";

/// Why the team's messages don't go from GPU to GPU.
inline constexpr std::string_view no_gpu_memory =
    "this MPI does not take GPU memory (a message that was tried did not arrive, or it says so "
    "itself)";

/// Whether the team's messages go from GPU to GPU: it claims that it takes GPU memory, and 1 MiB,
/// really sent around the ranks, arrives as it was. Collective; the same on every rank.
bool takes_gpu_memory(Team& team);

/// Throws Error(resources) on every rank: `transport=wanted` can't be had, for that reason.
[[noreturn]] void refuse_transport(const std::string& wanted, const std::string& reason);

/// The team of the ranks with messages in the memory of their GPUs, in order with the work on one
/// stream. Words that are not about memory (rank, size, abort) are those of the team behind it.
///
/// This one goes through page-locked host memory: pieces are copied while others travel.
class GpuTeam : public Team {
 public:
  GpuTeam(Team& team, const Stream& stream);

  int rank() const override { return team_.rank(); }
  int size() const override { return team_.size(); }
  int ranks_on_host() const override { return team_.ranks_on_host(); }
  int rank_on_host() const override { return team_.rank_on_host(); }
  void broadcast_bytes(std::span<std::byte> data, int root) override;
  void all_gather_bytes(std::span<const std::byte> mine, std::span<std::byte> all) override;
  void send_bytes(std::span<const std::byte> data, int to) override;
  void receive_bytes(std::span<std::byte> data, int from) override;
  void exchange_bytes(std::span<std::byte> data, int partner) override;
  std::unique_ptr<Messages> messages(std::span<const Outgoing> outgoing,
                                     std::span<const Incoming> incoming) override;
  [[noreturn]] void abort(ExitCode code) override;

  /// The same team in order with the work on another stream. Messages of the two are not to be on
  /// their way at the same time: who uses both orders their streams.
  virtual std::unique_ptr<GpuTeam> on(const Stream& stream) const {
    return std::make_unique<GpuTeam>(team_, stream);
  }

  /// The same, for messages that may be on their way beside this one's, in whatever order.
  /// Collective.
  virtual std::unique_ptr<GpuTeam> beside(const Stream& stream) const { return on(stream); }

  /// How messages travel, in a word or two for reports.
  virtual std::string transport() const { return std::string(pinned_transport); }

 protected:
  Team& team_;
  const Stream& stream_;

 private:
  std::span<std::byte> staged(std::size_t bytes, int buffer);
  void to_host(std::span<std::byte> host, const std::byte* device);
  void to_gpu(std::byte* device, std::span<const std::byte> host);

  PinnedArray<std::byte> staging_[2];
  Event copied_[2];
};

/// The best team for this rank's GPU: NCCL where it was built in and starts, MPI from GPU memory
/// where that works, else through host memory. `wanted` is auto, nccl, mpi or pinned; throws
/// Error(resources) on every rank where a wanted one can't be had. Collective.
std::unique_ptr<GpuTeam> make_gpu_team(Team& team, const Stream& stream, const std::string& wanted);

}  // namespace spsolve::cuda
