#include "cuda/distribute/gpu_links.hpp"

namespace spsolve::cuda {

void GpuLinks::expect_many() {
  if (transports_) return;
  transports_.emplace(team_, wanted_);
  // Copies from GPU to GPU take what other processes give leave to, matrix by matrix: for those who
  // ask for them.
  transport_ = wanted_ == Transport::peer ? wanted_ : transports_->for_messages();
  gathering_ = std::make_unique<Gathering>();
}

void GpuLinks::all_gather(std::span<const std::byte> mine, std::span<std::byte> all,
                          cudaStream_t stream) {
  gathering_->ready.record(stream);
  gathering_->ready.hold(gathering_->stream);
  nccl()->all_gather(mine, all, gathering_->stream);
  gathering_->there.record(gathering_->stream);
  gathering_->there.hold(stream);
}

}  // namespace spsolve::cuda
