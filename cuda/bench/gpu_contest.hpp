#pragma once

#include <memory>

#include "bench/eliminate_bench.hpp"

namespace spsolve::cuda {

/// Eliminations on this process's first GPU, beside cuSOLVER's getrf + getrs and its
/// mixed-precision gesv. Matrices are made on the GPU, and residuals computed there, from the same
/// hashes as random_dense. Times are the host's, from a GPU at rest to a GPU at rest: from the band
/// that is to be eliminated, or in mixed precision from the matrix in double, which stays. Throws
/// Error(resources) where there is no GPU.
std::unique_ptr<bench::EliminationContest> gpu_contest();

}  // namespace spsolve::cuda
