#include "cuda/core/launch.cuh"
#include "cuda/team/part_kernels.hpp"

namespace spsolve::cuda::inline team {

namespace {

constexpr int threads = 256;

template <typename T>
__global__ void add_parts_kernel(const T* from, int parts, Index count, T* to) {
  for (Index i = thread_index(); i < count; i += thread_count()) {
    T sum = from[i];
    for (int part = 1; part < parts; ++part) sum += from[i + part * count];
    to[i] = sum;
  }
}

}  // namespace

template <typename T>
void add_parts(const T* from, int parts, Index count, T* to, cudaStream_t stream) {
  if (count == 0) return;
  add_parts_kernel<<<grid_for(count, threads), threads, 0, stream>>>(from, parts, count, to);
  check_launch("add_parts");
}

SPSOLVE_INSTANTIATE_FUNCTION(add_parts)

}  // namespace spsolve::cuda::team
