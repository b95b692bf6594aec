#include "choice/place.hpp"

#include <algorithm>

#include "core/tuning.hpp"

namespace spsolve::inline choice {

namespace {

bool has_kernel(std::span<const Kernel> table, const std::string& name) {
  return std::ranges::find(table, name, &Kernel::name) != table.end();
}

/// Whether every rank can have a GPU, one of its own unless they may be shared; where only some
/// can, a note says so.
bool all_have_gpus(const Config& config, Team& team, const Gpus& gpus, TaskReport& report) {
  const int with_gpu = all_sum(team, gpus.found().visible.empty() ? 0 : 1);
  if (with_gpu > 0 && with_gpu < team.size()) {
    report.notes.push_back(fmt::format("only {} of {} ranks see a GPU, so all compute on the host",
                                       with_gpu, team.size()));
  }
  if (with_gpu < team.size()) return false;
  if (config.share_gpus || each_has_a_gpu(team, gpus.found().visible)) return true;
  report.notes.push_back(
      "there are fewer GPUs than ranks, so all compute on the host; start one rank for each GPU, "
      "or "
      "set share_gpus: true");
  return false;
}

/// Whether `auto` means GPUs for products; where not, but there are some, why.
bool multiplies_on_gpus(const Config& config, Team& team, const Gpus& gpus, TaskReport& report) {
  if (!all_have_gpus(config, team, gpus, report)) return false;
  if (has_kernel(gpus.kernels, config.multiply.kernel)) return true;
  report.notes.push_back(
      fmt::format("there are GPUs, but {} is a kernel of the host", config.multiply.kernel));
  return false;
}

/// Whether `auto` may mean GPUs for the elimination of a matrix of order n. None is looked for
/// where a host is done before their driver is there.
bool eliminates_on_gpus(const Config& config, Index n, Team& team, const Gpus& gpus,
                        TaskReport& report) {
  return n >= gpu_tuning.least_order && all_have_gpus(config, team, gpus, report);
}

}  // namespace

void take_gpu(const Config& config, Team& team, const Gpus& gpus, TaskReport& report) {
  const int mine = bind_gpu(team, gpus.found().visible, gpus.found().why_none, config.share_gpus);
  together(team, [&] { gpus.use(mine); });
  report.gpu = gpus.found().visible[mine];
}

bool wants_gpu_products(const Config& config, Team& team, const Gpus& gpus, TaskReport& report) {
  return config.device == DeviceChoice::cuda || (config.device == DeviceChoice::automatic &&
                                                 multiplies_on_gpus(config, team, gpus, report));
}

std::shared_ptr<const VectorMemory> choose_memory(const Config& config, Team& team,
                                                  const Gpus& gpus, TaskReport& report) {
  std::shared_ptr<const VectorMemory> memory(std::shared_ptr<void>(), &host_vector_memory());
  if (wants_gpu_products(config, team, gpus, report)) {
    take_gpu(config, team, gpus, report);
    memory = gpus.products(team, config.transport);
  }
  report.device = memory->device();
  return memory;
}

bool wants_gpu_elimination(const Config& config, Index order, Team& team, const Gpus& gpus,
                           TaskReport& report) {
  return config.device == DeviceChoice::cuda ||
         (config.device == DeviceChoice::automatic &&
          eliminates_on_gpus(config, order, team, gpus, report));
}

std::shared_ptr<void> start_gpus_ahead(const Config& config, const MatrixShape& shape,
                                       bool may_be_sparse, Team& team, const Gpus& gpus) {
  TaskReport ignored;
  const bool is_large = shape.nonzeros >= gpu_tuning.least_nonzeros_to_start_ahead;
  if (!gpus.start || config.share_gpus || (config.device == DeviceChoice::automatic && !is_large) ||
      !wants_gpu_elimination(config, shape.rows, team, gpus, ignored)) {
    return nullptr;
  }
  GpuStart start{config.transport, {}};
  if (is_large) start.products = config.solve.precision;
  const auto begin = [&](Team& those) {
    const FoundGpus& found = gpus.found();
    const int mine = bind_gpu(those, found.visible, found.why_none, config.share_gpus);
    return gpus.start(those, mine, start);
  };
  const bool is_left_to_one = config.solve.ranks == SolvingRanks::automatic && may_be_sparse &&
                              !is_krylov(config.solve.method);
  if (!is_left_to_one) return begin(team);
  return together(team, [&] {
    SoloTeam alone;
    return team.rank() == 0 ? begin(alone) : nullptr;
  });
}

}  // namespace spsolve::choice
