#include "cuda/core/launch.cuh"
#include "cuda/sparse/ranks/shared_row_kernels.hpp"

namespace spsolve::cuda {

namespace {

constexpr int threads = 256;

template <typename T>
__global__ void gather_shared_rows_kernel(SharedRows<T> rows, Index first, Index count, T* to) {
  const Index columns = rows.columns;
  for (Index i = thread_index(); i < count * columns; i += thread_count()) {
    const Index row = first + i / columns, c = i % columns;
    T sum = rows.b[row * columns + c];
    for (Index e = rows.starts[row]; e < rows.starts[row + 1]; ++e) {
      sum += rows.passed_up[rows.taken[e] * columns + c];
    }
    to[i] = sum;
  }
}

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
void gather_shared_rows(const SharedRows<T>& rows, Index first, Index count, T* to,
                        cudaStream_t stream) {
  if (count == 0) return;
  gather_shared_rows_kernel<<<grid_for(count * rows.columns, threads), threads, 0, stream>>>(
      rows, first, count, to);
  check_launch("gather_shared_rows");
}

template <typename T>
void add_parts(const T* from, int parts, Index count, T* to, cudaStream_t stream) {
  if (count == 0) return;
  add_parts_kernel<<<grid_for(count, threads), threads, 0, stream>>>(from, parts, count, to);
  check_launch("add_parts");
}

template void gather_shared_rows(const SharedRows<float>&, Index, Index, float*, cudaStream_t);
template void gather_shared_rows(const SharedRows<double>&, Index, Index, double*, cudaStream_t);
template void add_parts(const float*, int, Index, float*, cudaStream_t);
template void add_parts(const double*, int, Index, double*, cudaStream_t);

}  // namespace spsolve::cuda
