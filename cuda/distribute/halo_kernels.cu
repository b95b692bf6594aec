#include "cuda/core/launch.cuh"
#include "cuda/distribute/halo_kernels.hpp"

namespace spsolve::cuda {

namespace {

constexpr int threads = 256;

template <typename T>
__global__ void pack(const T* x, const LocalIndex* list, Index count, Index columns, T* packed) {
  for (Index id = thread_index(); id < count * columns; id += thread_count()) {
    const Index i = id / columns;
    packed[id] = x[list[i] * columns + (id - i * columns)];
  }
}

template <typename T>
__global__ void add(const T* sums, const LocalIndex* list, Index count, Index columns, T* y) {
  for (Index id = thread_index(); id < count * columns; id += thread_count()) {
    const Index i = id / columns;
    y[list[i] * columns + (id - i * columns)] += sums[id];
  }
}

}  // namespace

template <typename T>
void pack_rows(const T* x, const LocalIndex* list, Index count, Index columns, T* packed,
               cudaStream_t stream) {
  if (count == 0) return;
  pack<<<grid_for(count * columns, threads), threads, 0, stream>>>(x, list, count, columns, packed);
  check_launch("pack_rows");
}

template <typename T>
void add_rows(const T* sums, const LocalIndex* list, Index count, Index columns, T* y,
              cudaStream_t stream) {
  if (count == 0) return;
  add<<<grid_for(count * columns, threads), threads, 0, stream>>>(sums, list, count, columns, y);
  check_launch("add_rows");
}

#define SPSOLVE_INSTANTIATE(T)                                                          \
  template void pack_rows(const T*, const LocalIndex*, Index, Index, T*, cudaStream_t); \
  template void add_rows(const T*, const LocalIndex*, Index, Index, T*, cudaStream_t);
SPSOLVE_INSTANTIATE(float)
SPSOLVE_INSTANTIATE(double)
#undef SPSOLVE_INSTANTIATE

}  // namespace spsolve::cuda
