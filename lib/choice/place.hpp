#pragma once

#include <memory>

#include "choice/gpus.hpp"
#include "config/config.hpp"
#include "report/report.hpp"

namespace spsolve::inline choice {

/// The memory that products are computed in, for `config.device`: on the GPUs, each rank on its
/// own, or on the host. `auto` takes GPUs where every rank can have one of its own and they have
/// the kernel asked for. Notes the device in `report`, and why GPUs that some rank sees are left
/// alone. Throws the same Error on every rank where GPUs are asked for that are not there, or would
/// be shared unasked. Collective.
std::shared_ptr<const VectorMemory> choose_memory(const Config& config, Team& team,
                                                  const Gpus& gpus, TaskReport& report);

/// Makes this rank's GPU the current one and notes it in `report`. Throws the same Error on every
/// rank where there are none, or they would be shared unasked. Collective.
void take_gpu(const Config& config, Team& team, const Gpus& gpus, TaskReport& report);

/// Whether products, and an elimination of that order, would take GPUs: `cuda` asks for them
/// whether they are there or not, `auto` leaves small systems to the host. Collective.
bool wants_gpu_products(const Config& config, Team& team, const Gpus& gpus, TaskReport& report);
bool wants_gpu_elimination(const Config& config, Index order, Team& team, const Gpus& gpus,
                           TaskReport& report);

/// Begins to start GPUs, where an elimination of a matrix of this shape would take them,
/// concurrently with the reading and analysis before: with `auto`, which may leave it to the host,
/// only for one that takes some time. It goes on as long as the object handed back lives. Rank 0's
/// alone, where it is left to solve.ranks=auto who eliminates a matrix that may be sparse: all of
/// them are worth their start only for work that takes longer. Throws as take_gpu(). Collective.
std::shared_ptr<void> start_gpus_ahead(const Config& config, const MatrixShape& shape,
                                       bool may_be_sparse, Team& team, const Gpus& gpus);

}  // namespace spsolve::choice
