#pragma once

#include <memory>

#include "apps/bench/eliminate_bench.hpp"
#include "distribute/layout/options.hpp"

namespace spsolve::cuda {

/// Eliminations on the GPUs of the team's ranks, the current one of each; on a rank alone compared
/// with cuSOLVER's getrf + getrs and its mixed-precision gesv. Matrices are made on the GPUs, each
/// rank's rows by itself, and residuals computed there, from the same hashes as random_dense. Times
/// are the hosts', the longest of the ranks, from GPUs at rest to GPUs at rest: from the band that
/// is to be eliminated, or in mixed precision from the matrix in double, which stays. Rows travel
/// by `transport`, see Transports. All that the contest offers throws Error(resources) on every
/// rank where memory is short on one. Collective, as its contenders are.
std::unique_ptr<bench::EliminationContest> gpu_contest(Team& team, Transport transport);

}  // namespace spsolve::cuda
