#pragma once

#include <cstdint>
#include <optional>

#include "config/config.hpp"
#include "core/team.hpp"
#include "eliminate/eliminate.hpp"
#include "eliminate/mixed.hpp"
#include "eliminate/plan.hpp"
#include "task/gpus.hpp"

namespace spsolve {

/// How `config` eliminates a matrix of that order on so many ranks.
EliminationChoice choice_for(const Config& config, Index order, int ranks, BandMemory memory);

/// A square matrix, and the right-hand sides that come with it.
struct SystemShape {
  MatrixShape matrix;
  Index right_hand_sides = 1;
};

/// plan_solve() for a shape that is known: with dense bands in GPU memory where `gpu` says what
/// they take, of which `gpu_available` bytes are free on this rank's. Collective.
MemoryCheck plan_shape(const Config& config, const SystemShape& shape, Team& team, MemoryPlan& plan,
                       const GpuBandBytes& gpu, std::optional<std::int64_t> gpu_available);

/// What looks once more, before a matrix is eliminated in double where float did not do, whether
/// that fits. `config`, `shape`, `team`, `dense` and `gpus` must outlive it.
BeforeDouble check_in_double(const Config& config, const SystemShape& shape, Team& team,
                             const BandFactory& dense, const Gpus& gpus);

}  // namespace spsolve
