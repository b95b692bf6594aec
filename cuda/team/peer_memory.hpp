#pragma once

#include <vector>

#include "cuda/core/device_array.hpp"
#include "team/team.hpp"

namespace spsolve::cuda::inline team {

/// Memory of every rank's GPU that the ranks of one host can all read and write, by CUDA's
/// interprocess memory: copies between their GPUs take no multiprocessor.
class PeerMemory {
 public:
  /// `bytes` of own memory, which may differ from rank to rank. Throws on every rank where one of
  /// them can't have or reach it. Collective, all ranks on one host.
  PeerMemory(Team& team, Index bytes);

  /// Own memory may be freed while others have not let go of it yet; nobody may use it by then.
  ~PeerMemory() { let_go(); }
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;

  /// The memory of a rank, by an address of this one's.
  std::byte* of(int rank) const { return addresses_[rank]; }
  Index bytes() const { return bytes_; }

  /// From now on this rank has no more than its own.
  void let_go() noexcept;

 private:
  int rank_;
  Index bytes_;
  DeviceArray<std::byte> own_;
  std::vector<std::byte*> addresses_;  // by rank
};

/// Whether the ranks are on one host and what one writes to the memory of the next arrives there.
/// Collective; the same on every rank.
bool peers_reach_each_other(Team& team);

}  // namespace spsolve::cuda::team
