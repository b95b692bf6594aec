#include "process/launcher.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>

namespace spsolve::inline process {

namespace {

struct Launcher {
  const char* size;
  const char* rank;
};

// The nearest first: mpirun within a SLURM job leaves SLURM's variables in place. That SLURM's step
// has tasks says nothing in a batch script, which is no step of srun's, so the name of the step's
// own number is asked for.
constexpr std::array launchers{Launcher{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                               Launcher{"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
                               Launcher{"PMI_SIZE", "PMI_RANK"},
                               Launcher{"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

// The marks that launchers of several processes may leave without saying how many: PMIx, a process
// manager that is asked through a file descriptor, those of Cray and IBM, and Flux.
constexpr std::array marks{"PMIX_RANK",          "PMI_FD",        "PALS_RANKID", "ALPS_APP_PE",
                           "JSM_NAMESPACE_RANK", "FLUX_TASK_RANK"};

}  // namespace

Launch launch() {
  for (const Launcher& launcher : launchers) {
    const char* const size = std::getenv(launcher.size);
    if (size == nullptr || std::atoi(size) < 1) continue;
    const char* const rank = std::getenv(launcher.rank);
    return {launcher.size, std::atoi(size), rank == nullptr ? 0 : std::atoi(rank)};
  }
  return {};
}

bool may_have_others(const Launch& launch) {
  if (!launch.variable.empty()) return launch.ranks > 1;
  return std::ranges::any_of(marks, [](const char* mark) { return std::getenv(mark) != nullptr; });
}

std::string launch_problem(const Launch& launch, int ranks, const std::string& mpi) {
  if (ranks > 1 || launch.ranks <= 1) return "";
  return fmt::format(
      "the launcher started {} processes ({}={}), but each of them is alone: this program's {} was "
      "not told of the others; start it with the mpirun of that MPI (or srun --mpi=pmix), or as "
      "one "
      "process",
      launch.ranks, launch.variable, launch.ranks, mpi);
}

}  // namespace spsolve::process
