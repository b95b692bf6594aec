#pragma once

#include <memory>
#include <string>

#include "core/team.hpp"
#include "eliminate/band_factory.hpp"

namespace spsolve::cuda {

/// Bands in the memory of this rank's GPU, the current device. `transport` says how rows travel
/// between GPUs, see make_gpu_team(). Collective.
std::unique_ptr<BandFactory> device_bands(Team& team, const std::string& transport);

}  // namespace spsolve::cuda
