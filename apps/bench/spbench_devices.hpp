#pragma once

#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "apps/bench/device.hpp"
#include "apps/bench/eliminate_bench.hpp"
#include "apps/bench/sparse/own_solvers.hpp"
#include "distribute/layout/options.hpp"
#include "team/team.hpp"

namespace spsolve {

// The operations of spbench on GPUs beyond find_gpus(), whether it was built with CUDA or not.

/// A GPU and what is to be said of it in files.
struct OpenGpu {
  std::unique_ptr<bench::Device> device;
  nlohmann::ordered_json facts;
  std::string text;  ///< lines for a person
};

/// The first GPU, its copy bandwidth measured where `measures_copy`. Throws Error(resources) where
/// there is none.
OpenGpu open_gpu(bool measures_copy);

/// This rank's GPU for own methods. Collective.
bench::OwnDevice own_gpu(bool share_gpus, Team& team);

/// Eliminations on the current GPUs of the team's ranks, see cuda::gpu_contest(). Throws
/// Error(resources) on every rank where the program knows no GPUs. Collective.
std::unique_ptr<bench::EliminationContest> gpu_contest(Team& team, Transport transport);

}  // namespace spsolve
