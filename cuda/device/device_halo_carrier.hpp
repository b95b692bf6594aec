#pragma once

#include <memory>

#include "cuda/distribute/gpu_links.hpp"
#include "distribute/halo/halo_plan.hpp"
#include "vectors/products/halo_carrier.hpp"

namespace spsolve::cuda::inline device {

/// For multivectors in the memory of the ranks' GPUs: the rows that leave are packed there. By
/// `links` once many are expected, and through page-locked host memory before, or where there are
/// none.
std::unique_ptr<HaloCarrier> device_halo_carrier(Team& team, const HaloPlan& plan, GpuLinks* links);

}  // namespace spsolve::cuda::device
