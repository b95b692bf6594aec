#include "cuda/team/peer_memory.hpp"

#include "core/error.hpp"

namespace spsolve::cuda::inline team {

namespace {

/// CUDA shares whole pieces of this size: so that nothing else lies in them.
constexpr Index shared_piece = Index{2} << 20;

}  // namespace

PeerMemory::PeerMemory(Team& team, Index bytes)
    : rank_(team.rank()), bytes_(bytes), addresses_(static_cast<std::size_t>(team.size())) {
  const auto mine = together(team, [&] {
    own_.grow((bytes + shared_piece - 1) / shared_piece * shared_piece);
    cudaIpcMemHandle_t handle{};
    if (own_.size() > 0) CUDA_CHECK(cudaIpcGetMemHandle(&handle, own_.data()));
    CUDA_CHECK(cudaMemset(own_.data(), 0, static_cast<std::size_t>(own_.size())));
    CUDA_CHECK(cudaDeviceSynchronize());
    return handle;
  });
  const std::vector<cudaIpcMemHandle_t> handles = all_gather(team, mine);
  try {
    together(team, [&] {
      for (int rank = 0; rank < team.size(); ++rank) {
        void* address = own_.data();
        if (rank != rank_) {
          CUDA_CHECK(cudaIpcOpenMemHandle(&address, handles[rank], cudaIpcMemLazyEnablePeerAccess));
        }
        addresses_[rank] = static_cast<std::byte*>(address);
      }
    });
  } catch (...) {
    let_go();
    throw;
  }
}

void PeerMemory::let_go() noexcept {
  for (std::size_t rank = 0; rank < addresses_.size(); ++rank) {
    if (static_cast<int>(rank) == rank_ || addresses_[rank] == nullptr) continue;
    if (!gpu_is_left()) cudaIpcCloseMemHandle(std::exchange(addresses_[rank], nullptr));
  }
}

bool peers_reach_each_other(Team& team) {
  const auto all = [&](bool mine) { return all_sum(team, mine ? 0 : 1) == 0; };
  if (team.size() == 1 || !all(team.ranks_on_host() == team.size())) return false;
  try {
    const PeerMemory memory(team, sizeof(int));
    const int next = (team.rank() + 1) % team.size();
    const int previous = (team.rank() + team.size() - 1) % team.size();
    const auto number_of = [](int rank) { return 1000 + rank; };
    int arrived = 0;
    together(team, [&] {
      const int number = number_of(team.rank());
      CUDA_CHECK(cudaMemcpy(memory.of(next), &number, sizeof(number), cudaMemcpyHostToDevice));
      CUDA_CHECK(cudaDeviceSynchronize());
    });
    together(team, [&] {
      CUDA_CHECK(
          cudaMemcpy(&arrived, memory.of(team.rank()), sizeof(arrived), cudaMemcpyDeviceToHost));
    });
    return all(arrived == number_of(previous));
  } catch (const Error&) {
    return false;
  }
}

}  // namespace spsolve::cuda::team
