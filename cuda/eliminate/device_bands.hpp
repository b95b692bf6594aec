#pragma once

#include <memory>
#include <string>

#include "core/team.hpp"
#include "eliminate/band_factory.hpp"
#include "eliminate/eliminate.hpp"

namespace spsolve::cuda {

/// Bands in the memory of this rank's GPU, the current device. `transport` says how rows travel
/// between GPUs, see make_gpu_team(). Collective.
std::unique_ptr<BandFactory> device_bands(Team& team, const std::string& transport);

/// Bytes of GPU memory that the band of one of `ranks` ranks allocates, with `height` of the
/// matrix's rows, and its solutions of so many columns at a time. Beside it stand NCCL and CUDA
/// itself.
std::int64_t device_band_bytes(const EliminationChoice& choice, Index height, Index order,
                               int ranks, Index right_hand_sides);

}  // namespace spsolve::cuda
