#include "cuda/team/shared_gpu.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "cuda/core/cuda_check.hpp"

namespace spsolve::cuda::inline team {

bool some_share_a_gpu(Team& team) {
  const cudaUUID_t mine = together(team, [] {
    int device = 0;
    cudaDeviceProp properties{};
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
    return properties.uuid;
  });
  std::vector<std::string> all;
  for (const cudaUUID_t& uuid : all_gather(team, mine)) {
    all.emplace_back(uuid.bytes, sizeof(uuid.bytes));
  }
  std::ranges::sort(all);
  return std::ranges::adjacent_find(all) != all.end();
}

}  // namespace spsolve::cuda::team
