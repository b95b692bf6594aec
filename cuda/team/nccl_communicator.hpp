#pragma once

#include <memory>
#include <span>
#include <string>

#include "cuda/core/stream.hpp"
#include "team/team.hpp"

namespace spsolve::cuda::inline team {

/// NCCL between the GPUs of a team. Its messages are work on a stream: they begin when what was
/// launched there before is done, and the host waits for none of them. Every rank launches them in
/// the same order. All bytes are in GPU memory.
class NcclCommunicator {
 public:
  virtual ~NcclCommunicator() = default;

  /// Copies root's `data` to every rank.
  virtual void broadcast(std::span<std::byte> data, int root, cudaStream_t stream) = 0;

  /// Broadcasts several parts, each from its root, as one piece of work.
  virtual void broadcast(std::span<const BroadcastPart> parts, cudaStream_t stream) = 0;

  /// Puts the `mine` of rank r at position r of `all` on every rank; all the same length.
  virtual void all_gather(std::span<const std::byte> mine, std::span<std::byte> all,
                          cudaStream_t stream) = 0;

  /// Sends and receives together, as one piece of work; at most one message each way with each
  /// rank. Ranks without messages need not take part.
  virtual void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                        cudaStream_t stream) = 0;

  /// NCCL between the ranks of the same `group`, numbered as in Team::split(); null for those whose
  /// group is negative. `team` is that of this communicator, none of whose messages may be on their
  /// way. Throws Error(resources) on every rank where NCCL does not start on one. Collective.
  virtual std::unique_ptr<NcclCommunicator> split(Team& team, int group, int order) = 0;

  /// "NCCL 2.28.3".
  virtual std::string name() const = 0;
};

/// NCCL that starts before it is asked for.
class NcclAhead {
 public:
  virtual ~NcclAhead() = default;  ///< waits for run(), if that was called

  /// Starts it with the current GPU; on every rank, by any thread, at the same time as others work.
  virtual void run() = 0;
};

/// The preparation that the next make_nccl_communicator() of this team with as many blocks takes,
/// as long as the object lives; null where NCCL cannot be had. Collective; the same on every rank.
std::shared_ptr<NcclAhead> prepare_nccl_ahead(Team& team, int most_blocks);

/// Starts NCCL with the current GPU of each rank; or null and why not: it was not built in, or does
/// not start on every rank (ranks that share a GPU, for one). Its messages take at most
/// `most_blocks` multiprocessors from concurrent work; 0: as many as NCCL likes, which is faster
/// for messages alone. Collective; the same on every rank.
std::unique_ptr<NcclCommunicator> make_nccl_communicator(Team& team, int most_blocks,
                                                         std::string& reason);

}  // namespace spsolve::cuda::team
