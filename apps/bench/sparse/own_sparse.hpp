#pragma once

#include <functional>
#include <memory>

#include "apps/bench/sparse/sparse_contender.hpp"
#include "dense/dense_plan.hpp"
#include "device/compute_device.hpp"
#include "solve/operators/options.hpp"

namespace spsolve::bench {

/// Where own methods eliminate: hosts, unless GPUs say what they take.
struct OwnDevice {
  GpuDenseBytes gpu;
  std::function<std::unique_ptr<spsolve::ComputeDevice>(Team&)> memory;  ///< with `gpu`
  std::function<std::int64_t()> free_memory;                             ///< with `gpu`
};

/// The row of the solver table that `options` ask for, on this system in one process, or by all
/// ranks of a team, of which rank 0 has the matrix; then every call is collective. Its analyse()
/// throws Error(input) where it refuses the system, and Error(resources) where it does not fit.
std::unique_ptr<SparseContender> make_own(const SparseSystem& system, const SolverOptions& options,
                                          const OwnDevice& device = {}, Team* all = nullptr);

}  // namespace spsolve::bench
