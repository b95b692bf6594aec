#include "cuda/core/launch.cuh"
#include "cuda/sparse/sweeps/row_order_kernels.hpp"

namespace spsolve::cuda::inline sparse {

namespace {

constexpr int threads = 256;

template <typename From, typename To>
__global__ void reorder_rows_kernel(bool back, const int* order, Index rows, int columns,
                                    const From* from, Index from_stride, To* to, Index to_stride) {
  for (Index i = thread_index(); i < rows * columns; i += thread_count()) {
    const Index k = i / columns, c = i % columns, outside = order[k];
    to[(back ? outside : k) * to_stride + c] =
        static_cast<To>(from[(back ? k : outside) * from_stride + c]);
  }
}

}  // namespace

template <typename From, typename To>
void reorder_rows(bool back, const int* order, Index rows, int columns, const From* from,
                  Index from_stride, To* to, Index to_stride, cudaStream_t stream) {
  if (rows == 0) return;
  reorder_rows_kernel<<<grid_for(rows * columns, threads), threads, 0, stream>>>(
      back, order, rows, columns, from, from_stride, to, to_stride);
  check_launch("reorder_rows");
}

#define SPSOLVE_FOR(T)                                                                      \
  template void reorder_rows(bool, const int*, Index, int, const double*, Index, T*, Index, \
                             cudaStream_t);                                                 \
  template void reorder_rows(bool, const int*, Index, int, const float*, Index, T*, Index,  \
                             cudaStream_t);
SPSOLVE_FOR_SCALARS(SPSOLVE_FOR)

}  // namespace spsolve::cuda::sparse
