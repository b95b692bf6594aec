#pragma once

#include "task/gpus.hpp"

namespace spsolve {

/// The GPUs of this process, whether the program was built with CUDA or not.
Gpus find_gpus();

}  // namespace spsolve
