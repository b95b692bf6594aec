#include "core/gpu_binding.hpp"

#include <algorithm>
#include <array>

#include "core/system.hpp"

namespace spsolve {

namespace {

/// A rank's choice, as it can be gathered.
struct Chosen {
  std::array<char, 64> uuid{}, host{};
};

std::array<char, 64> in_array(const std::string& text) {
  std::array<char, 64> result{};
  std::copy_n(text.begin(), std::min(text.size(), result.size() - 1), result.begin());
  return result;
}

}  // namespace

int bind_gpu(Team& team, std::span<const GpuName> visible, const std::string& why_none,
             bool share) {
  const int mine = together(team, [&] {
    if (visible.empty()) {
      fail(ExitCode::resources,
           "there is no GPU here: {}; use device=host, or start ranks only where there are GPUs",
           why_none);
    }
    return team.rank_on_host() % static_cast<int>(visible.size());
  });
  const auto all = all_gather(team, Chosen{in_array(visible[mine].uuid), in_array(host_name())});
  if (share) return mine;
  for (int rank = 0; rank < team.size(); ++rank) {
    for (int other = 0; other < rank; ++other) {
      if (all[rank].uuid != all[other].uuid) continue;
      fail_everywhere(
          ExitCode::resources,
          "ranks {} and {} would share the GPU {} on host {}; start as many ranks on a host as it "
          "has GPUs (batch systems: --gpus-per-task=1), or set share_gpus: true",
          other, rank, all[rank].uuid.data(), all[rank].host.data());
    }
  }
  return mine;
}

}  // namespace spsolve
