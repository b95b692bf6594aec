#include "cuda/core/launch.cuh"
#include "cuda/sparse/ranks/shared_row_kernels.hpp"

namespace spsolve::cuda::inline sparse {

namespace {

constexpr int threads = 256;

template <typename T>
__global__ void gather_shared_rows_kernel(SharedRows<T> rows, Index first, Index count, T* to) {
  const Index columns = rows.columns;
  for (Index i = thread_index(); i < count * columns; i += thread_count()) {
    const Index row = first + i / columns, c = i % columns;
    T sum = rows.b[row * columns + c];
    for (Index e = rows.starts[row]; e < rows.starts[row + 1]; ++e) {
      sum += rows.contribution[rows.taken[e] * columns + c];
    }
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

SPSOLVE_INSTANTIATE_FUNCTION(gather_shared_rows)

}  // namespace spsolve::cuda::sparse
