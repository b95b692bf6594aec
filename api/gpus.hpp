#pragma once

#include "choice/gpus.hpp"
#include "config/config.hpp"

namespace spsolve {

/// This program's functions on GPUs, whether it was built with CUDA or not; no GPU is looked for.
Gpus gpu_part();

/// These functions with the GPUs of this process, unless `wanted` is host: to look for them starts
/// their driver, which takes a tenth of a second and another one as the process ends.
Gpus find_gpus(DeviceChoice wanted = DeviceChoice::automatic);

/// The function Gpus::leave of a program that ends with its task.
void leave_gpus();

}  // namespace spsolve
