#pragma once

#include <functional>
#include <memory>

#include "apps/bench/sparse/solvers.hpp"
#include "dense/dense_plan.hpp"
#include "device/compute_device.hpp"
#include "solve/operators/options.hpp"

namespace spsolve::bench {

/// Where own methods work: hosts, unless GPUs say what they take.
struct OwnDevice {
  GpuDenseBytes gpu;
  std::function<std::unique_ptr<spsolve::ComputeDevice>(Team&)> memory;  ///< with `gpu`
  std::function<std::int64_t()> free_memory;                             ///< with `gpu`
};

/// The row of the solver table that `options` ask for, on this system in one process, or by all
/// ranks of a team, of which rank 0 has the matrix; then every call is collective. `systems` of the
/// pattern are expected. Its analyse()
/// throws Error(input) where it refuses the system, and Error(resources) where it does not fit.
std::unique_ptr<SparseContender> make_own(const SparseSystem& system, const SolverOptions& options,
                                          const OwnDevice& device = {}, Index systems = 1,
                                          Team* all = nullptr);

/// The Krylov method and preconditioner of `options` on all ranks of the team. As methods stop at
/// backward errors, options.tolerance is that which system.tolerance comes to with
/// system.largest_x; where that is not known, 0: as near as double gets. Throws Error(input) where
/// the method refuses the system.
std::unique_ptr<IterativeContender> make_own_iteration(const IterativeSystem& system,
                                                       const SolverOptions& options, Team& team,
                                                       const OwnDevice& device = {});

}  // namespace spsolve::bench
