#pragma once

#include <memory>

#include "cuda/distribute/gpu_links.hpp"
#include "distribute/halo/halo_carrier.hpp"

namespace spsolve::cuda::inline distribute {

// For multivectors in the memory of the ranks' GPUs: the rows that leave are packed there.

/// By `links` once many halos are expected, and through page-locked host memory before, or if there
/// are none. Takes no times.
std::unique_ptr<HaloCarrier> device_halo_carrier(Team& team, const HaloPlan& plan, GpuLinks* links);

/// By whichever of the transports BestExchange finds the fastest. Times are those of the GPU's
/// clock.
std::unique_ptr<HaloCarrier> device_halo_carrier(const HaloPlan& plan, Transports& transports);

}  // namespace spsolve::cuda::distribute
