#include "task/backend.hpp"

#include <algorithm>

#include "distribute/host_backend.hpp"

namespace spsolve {

namespace {

bool has_kernel(std::span<const Kernel> table, const std::string& name) {
  return std::ranges::find(table, name, &Kernel::name) != table.end();
}

/// Whether `auto` means GPUs; where not, but some rank sees one, why.
bool wants_gpus(const Config& config, Team& team, const Gpus& gpus, TaskReport& report) {
  const int with_gpu = all_sum(team, gpus.visible.empty() ? 0 : 1);
  if (with_gpu == 0) return false;
  if (with_gpu < team.size()) {
    report.notes.push_back(fmt::format("only {} of {} ranks see a GPU, so all compute on the host",
                                       with_gpu, team.size()));
    return false;
  }
  if (has_kernel(gpus.kernels, config.multiply.kernel)) return true;
  report.notes.push_back(
      fmt::format("there are GPUs, but {} is a kernel of the host", config.multiply.kernel));
  return false;
}

}  // namespace

std::unique_ptr<ProductBackend> choose_backend(const Config& config, Team& team, const Gpus& gpus,
                                               TaskReport& report) {
  const bool on_gpus =
      config.device == DeviceChoice::cuda ||
      (config.device == DeviceChoice::automatic && wants_gpus(config, team, gpus, report));
  std::unique_ptr<ProductBackend> backend;
  if (on_gpus) {
    const int mine = bind_gpu(team, gpus.visible, gpus.why_none, config.share_gpus);
    together(team, [&] { gpus.use(mine); });
    report.gpu = gpus.visible[mine];
    backend = gpus.products(team);
  } else {
    backend = std::make_unique<HostBackend>(report.threads);
  }
  report.device = backend->device();
  return backend;
}

}  // namespace spsolve
