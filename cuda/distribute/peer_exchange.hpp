#pragma once

#include <memory>
#include <vector>

#include "cuda/distribute/device_exchange.hpp"
#include "cuda/distribute/leaving_rows.hpp"
#include "cuda/team/peer_memory.hpp"

namespace spsolve::cuda::inline distribute {

/// Between GPUs of one host, by their copy engines, straight into the memory where the neighbour's
/// product reads its halo. Flags in that memory tell that rows have arrived, and that the place for
/// the next ones is free: the host waits for nothing.
class PeerExchange final : public DeviceExchange {
 public:
  /// Collective, where peers_reach_each_other().
  PeerExchange(Team& team, const HaloPlan& plan);

  std::string name() const override;
  void prepare(const std::byte* x, Index row_bytes) override;
  std::byte* outgoing() override { return leaving_.packed(); }
  const std::byte* incoming() const override { return memory_->of(team_.rank()) + flags_bytes_; }
  void start(const std::byte* x, cudaStream_t stream) override;
  void finish(cudaStream_t stream) override;
  void release(cudaStream_t stream) override;

 private:
  // Flags at the front of a rank's memory, one for each rank.
  enum class Told { arrived, free };
  unsigned* flag(int owner, Told what, int by) const;

  Team& team_;
  const HaloPlan& plan_;
  LeavingRows leaving_;
  Index flags_bytes_;
  std::vector<Index> rows_there_;  ///< by send: the neighbour's number of the first halo row
  Index row_bytes_ = 0;
  std::unique_ptr<PeerMemory> memory_;
  unsigned round_ = 0;  ///< of start()
  // Addresses of flags: own ones that neighbours raise, and theirs.
  DeviceArray<unsigned*> free_here_, arrived_there_, arrived_here_, free_there_;
};

}  // namespace spsolve::cuda::distribute
