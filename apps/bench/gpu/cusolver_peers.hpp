#pragma once

#include <vector>

#include "apps/bench/eliminate_bench.hpp"

namespace spsolve::cuda {

/// cuSOLVER's getrf + getrs in double, with 64-bit sizes, and its mixed-precision solver: factors
/// in TF32 and in half, refined by GMRES to double, with its own way back to double. `diagonal` is
/// that of GpuSystem.
std::vector<bench::Contender> cusolver_peers(Index order, double diagonal);

}  // namespace spsolve::cuda
