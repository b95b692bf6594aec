#pragma once

#include <cstdint>
#include <optional>

#include "choice/gpus.hpp"
#include "config/config.hpp"
#include "report/report.hpp"
#include "team/team.hpp"

namespace spsolve::inline choice {

/// Bytes free on this rank's GPU; nothing where it has none. Test builds may be told another number
/// (process/fault.hpp).
std::optional<std::int64_t> free_gpu_memory(const Gpus& gpus);

/// Bytes free on this rank's GPU for a plan, once each rank has taken its GPU. A plan for GPUs may
/// be asked for where some ranks see none, such as on a cluster's login node: then nothing is known
/// on any. Collective.
std::optional<std::int64_t> free_memory_of_own_gpu(const Config& config, Team& team,
                                                   const Gpus& gpus);

/// Watches the memory that a task takes of its GPU, beginning where its plan is made.
class GpuMemoryWatch {
 public:
  /// Watches nothing unless `on_gpu`.
  GpuMemoryWatch(const Gpus& gpus, bool on_gpu);

  /// Bytes free as the watch began, as free_gpu_memory().
  std::optional<std::int64_t> available() const { return available_; }

  /// Notes in `report` what was taken so far.
  void note(TaskReport& report) const;

 private:
  const Gpus& gpus_;
  std::optional<std::int64_t> available_;
  std::int64_t free_ = 0, arrays_ = 0;
};

}  // namespace spsolve::choice
