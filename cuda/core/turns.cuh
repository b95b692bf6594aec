#pragma once

// Launches one behind the other on a stream, of which the next begins while the last one ends.

#include <type_traits>

#include "cuda/core/launch.cuh"

namespace spsolve::cuda {

/// From here on blocks of the next launch in turn may start as places become free, and this one has
/// all that the launch before it wrote: as each of them waits here, that of all before.
__device__ inline void take_turn() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
}

/// Launches a kernel that calls take_turn(); where it `follows` another such launch on the stream,
/// and was compiled for GPUs that can, it starts before that one has ended.
template <typename... Parameters>
void launch_in_turn(void (*kernel)(Parameters...), dim3 grid, int threads, int shared_bytes,
                    bool follows, cudaStream_t stream,
                    std::type_identity_t<Parameters>... arguments) {
  static const bool takes_turns = [&] {
    cudaFuncAttributes compiled{};
    CUDA_CHECK(cudaFuncGetAttributes(&compiled, kernel));
    return compiled.ptxVersion >= 90;
  }();
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = follows && takes_turns ? 1 : 0;
  CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

}  // namespace spsolve::cuda
