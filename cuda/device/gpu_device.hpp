#pragma once

#include <memory>

#include "dense/choice.hpp"
#include "device/compute_device.hpp"
#include "distribute/layout/options.hpp"
#include "team/team.hpp"

namespace spsolve::cuda::inline device {

/// Dense rows in the memory of this rank's GPU, the current device. `transport` says how rows
/// travel between GPUs, see Transports. Collective.
std::unique_ptr<ComputeDevice> gpu_device(Team& team, Transport transport);

/// Bytes of GPU memory that one of `ranks` ranks allocates for `height` of the matrix's rows, and
/// for solutions of so many columns at a time. NCCL and CUDA itself take theirs in addition.
std::int64_t device_dense_bytes(const EliminationChoice& choice, Index height, Index order,
                                int ranks, Index right_hand_sides);

}  // namespace spsolve::cuda::device
