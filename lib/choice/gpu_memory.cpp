#include "choice/gpu_memory.hpp"

#include <algorithm>

#include "choice/place.hpp"
#include "process/fault.hpp"

namespace spsolve::inline choice {

std::optional<std::int64_t> free_gpu_memory(const Gpus& gpus) {
  if (const auto told = injected_gpu_memory()) return told;
  return gpus.found().visible.empty() ? std::nullopt : std::optional(gpus.free_memory());
}

std::optional<std::int64_t> free_memory_of_own_gpu(const Config& config, Team& team,
                                                   const Gpus& gpus) {
  if (all_sum(team, gpus.found().visible.empty() ? 1 : 0) > 0) return injected_gpu_memory();
  TaskReport ignored;
  take_gpu(config, team, gpus, ignored);
  return free_gpu_memory(gpus);
}

GpuMemoryWatch::GpuMemoryWatch(const Gpus& gpus, bool on_gpu) : gpus_(gpus) {
  if (!on_gpu) return;
  available_ = free_gpu_memory(gpus);
  free_ = gpus.free_memory();
  arrays_ = gpus.arrays().now;
}

void GpuMemoryWatch::note(TaskReport& report) const {
  if (!available_) return;
  const GpuArrays arrays = gpus_.arrays();
  report.gpu_memory.peak = arrays.peak;
  report.gpu_memory.libraries =
      std::max<std::int64_t>(0, free_ - gpus_.free_memory() - (arrays.now - arrays_));
}

}  // namespace spsolve::choice
