#include "cuda/distribute/gpu_links.hpp"

#include <vector>

#include "cuda/core/device_array.hpp"
#include "cuda/core/stream.hpp"

namespace spsolve::cuda::inline distribute {

void GpuLinks::expect_many() {
  if (transports_) return;
  transports_.emplace(team_, wanted_);
  // Copies from GPU to GPU take what other processes give leave to, matrix by matrix: for those who
  // ask for them.
  transport_ = wanted_ == Transport::peer ? wanted_ : transports_->for_messages();
  if (nccl() != nullptr) connect();
}

void GpuLinks::connect() {
  constexpr Index some = 256;
  const int rank = team_.rank(), size = team_.size();
  DeviceArray<std::byte> room =
      together(team_, [&] { return DeviceArray<std::byte>(some * (size + 4)); });
  const auto part = [&](int number) {
    return std::span(room.data() + number * some, static_cast<std::size_t>(some));
  };
  const Stream stream(Stream::Order::alone);
  nccl()->all_gather(part(size), std::span(room.data(), static_cast<std::size_t>(some * size)),
                     stream.get());
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (const int other : {rank - 1, rank + 1}) {
    if (other < 0 || other >= size) continue;
    outgoing.push_back({other, part(size + 1)});
    incoming.push_back({other, part(size + 2 + (other > rank ? 1 : 0))});
  }
  nccl()->exchange(outgoing, incoming, stream.get());
  stream.wait();
}

}  // namespace spsolve::cuda::distribute
