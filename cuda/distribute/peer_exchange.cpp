#include "cuda/distribute/peer_exchange.hpp"

#include "cuda/team/flag_kernels.hpp"

namespace spsolve::cuda::inline distribute {

PeerExchange::PeerExchange(Team& team, const HaloPlan& plan)
    : team_(team), plan_(plan), leaving_(plan, false) {
  constexpr Index line = 256;
  const auto ranks = static_cast<std::size_t>(team.size());
  flags_bytes_ = (2 * team.size() * static_cast<Index>(sizeof(unsigned)) + line - 1) / line * line;
  // Everybody's first halo rows, by the rank that they come from.
  std::vector<Index> mine(ranks), all(ranks * ranks);
  for (const HaloPlan::NeighbourRows& part : plan.receives) mine[part.rank] = part.first;
  team.all_gather_bytes(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  for (const HaloPlan::NeighbourRows& part : plan.sends) {
    rows_there_.push_back(all[part.rank * ranks + static_cast<std::size_t>(team.rank())]);
  }
}

std::string PeerExchange::name() const {
  return std::string(peer_transport);
}

unsigned* PeerExchange::flag(int owner, Told what, int by) const {
  return reinterpret_cast<unsigned*>(memory_->of(owner)) +
         (what == Told::arrived ? 0 : team_.size()) + by;
}

void PeerExchange::prepare(const std::byte*, Index row_bytes) {
  row_bytes_ = row_bytes;
  leaving_.make_room(row_bytes);
  const Index bytes = flags_bytes_ + plan_.halo_rows() * row_bytes;
  const bool fits = memory_ != nullptr && bytes <= memory_->bytes();
  if (all_sum(team_, fits ? 0 : 1) == 0) return;
  if (memory_ != nullptr) memory_->let_go();
  wait_for_all(team_);  // nobody uses what is freed now
  memory_ = nullptr;
  memory_ = std::make_unique<PeerMemory>(team_, bytes);
  round_ = 0;
  const int me = team_.rank();
  std::vector<unsigned*> free_here, arrived_there, arrived_here, free_there;
  for (const HaloPlan::NeighbourRows& part : plan_.sends) {
    free_here.push_back(flag(me, Told::free, part.rank));
    arrived_there.push_back(flag(part.rank, Told::arrived, me));
  }
  for (const HaloPlan::NeighbourRows& part : plan_.receives) {
    arrived_here.push_back(flag(me, Told::arrived, part.rank));
    free_there.push_back(flag(part.rank, Told::free, me));
  }
  free_here_ = DeviceArray<unsigned*>(free_here);
  arrived_there_ = DeviceArray<unsigned*>(arrived_there);
  arrived_here_ = DeviceArray<unsigned*>(arrived_here);
  free_there_ = DeviceArray<unsigned*>(free_there);
}

void PeerExchange::start(const std::byte* x, cudaStream_t stream) {
  ++round_;
  if (plan_.sends.empty()) return;
  const auto messages = static_cast<int>(plan_.sends.size());
  wait_for_flags(free_here_.data(), messages, round_ - 1, stream);
  for (std::size_t i = 0; i < plan_.sends.size(); ++i) {
    const HaloPlan::NeighbourRows& part = plan_.sends[i];
    const std::span<const std::byte> rows = leaving_.of(part, x);
    CUDA_CHECK(cudaMemcpyAsync(memory_->of(part.rank) + flags_bytes_ + rows_there_[i] * row_bytes_,
                               rows.data(), rows.size(), cudaMemcpyDeviceToDevice, stream));
  }
  raise_flags(arrived_there_.data(), messages, round_, stream);
  expect_ranks(stream);
}

void PeerExchange::finish(cudaStream_t stream) {
  if (plan_.receives.empty()) return;
  wait_for_flags(arrived_here_.data(), static_cast<int>(plan_.receives.size()), round_, stream);
  expect_ranks(stream);
}

void PeerExchange::release(cudaStream_t stream) {
  raise_flags(free_there_.data(), static_cast<int>(plan_.receives.size()), round_, stream);
}

}  // namespace spsolve::cuda::distribute
