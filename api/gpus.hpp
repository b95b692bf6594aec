#pragma once

#include "choice/gpus.hpp"
#include "config/config.hpp"

namespace spsolve {

/// This program's functions on GPUs, whether it was built with CUDA or not; no GPU is looked for.
Gpus gpu_part();

/// These functions with the GPUs of this process, which are looked for when they are first asked
/// for, unless `wanted` is host.
Gpus find_gpus(DeviceChoice wanted = DeviceChoice::automatic);

/// The function Gpus::leave of a program that ends with its task.
void leave_gpus();

}  // namespace spsolve
