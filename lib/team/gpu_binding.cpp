#include "team/gpu_binding.hpp"

#include <algorithm>
#include <array>

#include "process/system.hpp"

namespace spsolve::inline team {

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

/// Two ranks with the same GPU; -1 where there are none.
struct Sharing {
  int one = -1, other = -1;
  Chosen gpu;
};

/// The first two ranks that would share, `mine` being this rank's GPU. Collective.
Sharing find_sharing(Team& team, const GpuName& mine) {
  const auto all = all_gather(team, Chosen{in_array(mine.uuid), in_array(host_name())});
  for (int rank = 0; rank < team.size(); ++rank) {
    for (int other = 0; other < rank; ++other) {
      if (all[rank].uuid == all[other].uuid) return {other, rank, all[rank]};
    }
  }
  return {};
}

int number_of(const Team& team, std::span<const GpuName> visible) {
  return team.rank_on_host() % static_cast<int>(visible.size());
}

}  // namespace

bool each_has_a_gpu(Team& team, std::span<const GpuName> visible) {
  return find_sharing(team, visible[number_of(team, visible)]).one < 0;
}

int bind_gpu(Team& team, std::span<const GpuName> visible, const std::string& why_none,
             bool share) {
  const int mine = together(team, [&] {
    if (visible.empty()) {
      fail(ExitCode::resources,
           "there is no GPU here: {}; use device=host, or start ranks only where there are GPUs",
           why_none);
    }
    return number_of(team, visible);
  });
  const Sharing sharing = find_sharing(team, visible[mine]);
  if (!share && sharing.one >= 0) {
    fail_everywhere(
        ExitCode::resources,
        "ranks {} and {} would share the GPU {} on host {}; start as many ranks on a host as it "
        "has GPUs (batch systems: --gpus-per-task=1), or set share_gpus: true",
        sharing.one, sharing.other, sharing.gpu.uuid.data(), sharing.gpu.host.data());
  }
  return mine;
}

}  // namespace spsolve::team
