#pragma once

#include <memory>

#include "cuda/sparse/ranks/device_team_fronts.hpp"
#include "sparse/sparse_memory.hpp"

namespace spsolve::cuda::inline sparse {

/// Sparse eliminations on the current GPU, alone or with other ranks' by the team that `make` makes
/// for each. Threshold pivoting is left to the host: what it delays changes the sizes of fronts.
std::unique_ptr<SparseMemory> device_sparse_memory(MakeGpuTeam make = {});

}  // namespace spsolve::cuda::sparse
