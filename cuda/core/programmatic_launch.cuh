#pragma once

// Launches one after the other on a stream, of which the next begins while the last one ends: one
// that waits for nothing but to be launched costs about a microsecond less. Blocks of the next one
// take places as they become free, several on the multiprocessors that are done first: turns are
// given early only where that was measured to pay, and else shortly before a block ends, or then.

#include <type_traits>

#include "cuda/core/launch.cuh"

namespace spsolve::cuda::inline core {

/// From here on blocks of the next launch in turn may start as places become free; a block that
/// ends has given its turn.
__device__ inline void trigger_next_launch() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// From here on this launch has all that the one before it wrote: as each of them waits here, that
/// of all before. A compiler may move loads of `const __restrict__` arrays to before it, which nvcc
/// 13.0 does not: tests/gpu/test_programmatic_launch.py reads its PTX, and `cuobjdump -sass` of the
/// objects shows loads of matrices alone before ACQBULK.
__device__ inline void wait_for_previous_launch() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// Both: the next launch may start as soon as this one has.
__device__ inline void trigger_and_wait() {
  trigger_next_launch();
  wait_for_previous_launch();
}

/// The attribute by which a launch that waits for its turn may start before the one before it has
/// ended.
inline cudaLaunchAttribute programmatic_attribute() {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  return attribute;
}

/// Launches a kernel that waits for its turn before it reads what others write, or writes: every
/// thread block of it. Where it `follows` another launch on the stream, and was compiled for GPUs
/// that can, it starts before that one has ended, if it has given its turn.
template <typename... Parameters>
void launch_programmatic(void (*kernel)(Parameters...), dim3 grid, int threads, int shared_bytes,
                         bool follows, cudaStream_t stream,
                         std::type_identity_t<Parameters>... arguments) {
  static const bool is_programmatic = [&] {
    cudaFuncAttributes compiled{};
    CUDA_CHECK(cudaFuncGetAttributes(&compiled, kernel));
    return compiled.ptxVersion >= 90;
  }();
  cudaLaunchAttribute early = programmatic_attribute();
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = follows && is_programmatic ? 1 : 0;
  CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

}  // namespace spsolve::cuda::core
