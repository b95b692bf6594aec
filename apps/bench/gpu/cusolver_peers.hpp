#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/bench/eliminate_bench.hpp"

namespace spsolve::cuda {

/// cuSOLVER's getrf + getrs in double, with 64-bit sizes, and its mixed-precision solver: factors
/// in TF32 and in half, refined by GMRES to double, with its own way back to double. `diagonal` is
/// that of GpuSystem.
std::vector<bench::EliminationContender> cusolver_peers(Index order, double diagonal);

/// A library's row and run: of method `method` with partial pivoting.
bench::EliminationContender cusolver_peer(std::string method, std::string precision,
                                          std::function<bench::BenchRun(Index seed)> run);

}  // namespace spsolve::cuda
