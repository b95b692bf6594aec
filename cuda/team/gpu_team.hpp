#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cuda/core/pinned_array.hpp"
#include "cuda/core/stream.hpp"
#include "team/team.hpp"

namespace spsolve::cuda::inline team {

/// How messages travel where the team carries them, in words for reports.
inline constexpr std::string_view direct_transport = "CUDA-aware MPI";
inline constexpr std::string_view pinned_transport = "MPI through pinned host memory";

/// The team of the ranks with messages in the memory of their GPUs, in order with the work on one
/// stream. Words that are not about memory (rank, size, abort) are those of the underlying team.
///
/// This one goes through page-locked host memory: pieces are copied while others travel.
class GpuTeam : public Team {
 public:
  GpuTeam(Team& team, const Stream& stream);

  /// Holds the underlying team, as one that was split off does.
  GpuTeam(std::shared_ptr<Team> team, const Stream& stream);

  int rank() const override { return team_->rank(); }
  int size() const override { return team_->size(); }
  int ranks_on_host() const override { return team_->ranks_on_host(); }
  int rank_on_host() const override { return team_->rank_on_host(); }
  void broadcast_bytes(std::span<std::byte> data, int root) override;
  void all_gather_bytes(std::span<const std::byte> mine, std::span<std::byte> all) override;
  void send_bytes(std::span<const std::byte> data, int to) override;
  void receive_bytes(std::span<std::byte> data, int from) override;
  void exchange_bytes(std::span<std::byte> data, int partner) override;
  void exchange_parts(std::span<const Outgoing> outgoing,
                      std::span<const Incoming> incoming) override;
  std::unique_ptr<Messages> messages(std::span<const Outgoing> outgoing,
                                     std::span<const Incoming> incoming) override;
  [[noreturn]] void abort(ExitCode code) override;

  /// split_gpus(), for those who know no more than a team.
  std::unique_ptr<Team> split(int group, int order) override;

  /// split() of the team and of the transport of its messages; in order with the same stream. Work
  /// that was launched before is done by then. Collective.
  virtual std::unique_ptr<GpuTeam> split_gpus(int group, int order) const;

  /// This team in order with the work on another stream. Messages of the two are not to be on their
  /// way at the same time: who uses both orders their streams.
  virtual std::unique_ptr<GpuTeam> on(const Stream& stream) const {
    return std::make_unique<GpuTeam>(team_, stream);
  }

  /// This team for messages that may be on their way at the same time as this one's, in whatever
  /// order. Collective.
  virtual std::unique_ptr<GpuTeam> beside(const Stream& stream) const { return on(stream); }

  /// How messages travel, in a word or two for reports.
  virtual std::string transport() const { return std::string(pinned_transport); }

 protected:
  /// A team of the kind of `OfGpus` over a part of the team underlying this one, which is all it
  /// needs.
  template <typename OfGpus>
  std::unique_ptr<GpuTeam> split_into(int group, int order) const {
    stream_.wait();
    std::shared_ptr<Team> part = team_->split(group, order);
    return part == nullptr ? nullptr : std::make_unique<OfGpus>(std::move(part), stream_);
  }

  std::shared_ptr<Team> team_;  ///< may belong to somebody else, who keeps it
  const Stream& stream_;

 private:
  std::span<std::byte> staged(std::size_t bytes, int buffer);
  void to_host(std::span<std::byte> host, const std::byte* device);
  void to_gpu(std::byte* device, std::span<const std::byte> host);

  PinnedArray<std::byte> staging_[2];
  Event copied_[2];
};

/// Messages by the team's own from GPU memory, where a CUDA-aware MPI takes that; see Transports,
/// which finds out.
std::unique_ptr<GpuTeam> make_direct_team(Team& team, const Stream& stream);

}  // namespace spsolve::cuda::team
