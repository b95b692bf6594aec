#include "cuda/core/launch.cuh"
#include "cuda/sparse/sweeps/row_order_kernels.hpp"

namespace spsolve::cuda {

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

/// Couplings of a row beyond which a whole thread block adds them up: a supply rail of a circuit
/// has tens of thousands.
constexpr Index long_row = 64;

/// A row's couplings `first`, `first` + `step`, ... times column c of x.
template <typename T>
__device__ T sum_of_couplings(const DeviceCouplings& couplings, const double* values, Index row,
                              int c, int columns, const T* x, Index first, Index step) {
  T sum = 0;
#pragma unroll 4
  for (Index e = couplings.starts[row] + first; e < couplings.starts[row + 1]; e += step) {
    sum +=
        static_cast<T>(values[couplings.sources[e]]) * x[couplings.columns[e] * Index{columns} + c];
  }
  return sum;
}

/// A thread a value of b; then each thread block what is left of its long rows.
template <typename T>
__global__ void __launch_bounds__(threads)
    subtract_couplings_kernel(DeviceCouplings couplings, const double* values, Index begin,
                              Index end, int columns, const T* x, T* b) {
  constexpr int warps = threads / warp_size;
  __shared__ Index left[threads];  // long rows and their columns
  __shared__ T of_warps[warps];
  __shared__ int count;
  const Index all = (end - begin) * columns;
  for (Index base = static_cast<Index>(blockIdx.x) * threads; base < all; base += thread_count()) {
    __syncthreads();
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    const Index i = base + threadIdx.x;
    if (i < all) {
      const Index row = begin + i / columns;
      const int c = static_cast<int>(i % columns);
      if (couplings.starts[row + 1] - couplings.starts[row] > long_row) {
        left[atomicAdd(&count, 1)] = i;
      } else {
        b[couplings.rows[row] * Index{columns} + c] -=
            sum_of_couplings(couplings, values, row, c, columns, x, 0, 1);
      }
    }
    __syncthreads();
    for (int k = 0; k < count; ++k) {
      const Index row = begin + left[k] / columns;
      const int c = static_cast<int>(left[k] % columns);
      const T part = sum_of_group<warp_size>(
          sum_of_couplings(couplings, values, row, c, columns, x, threadIdx.x, threads));
      if (threadIdx.x % warp_size == 0) of_warps[threadIdx.x / warp_size] = part;
      __syncthreads();
      if (threadIdx.x == 0) {
        T sum = 0;
        for (const T& of_warp : of_warps) sum += of_warp;
        b[couplings.rows[row] * Index{columns} + c] -= sum;
      }
      __syncthreads();
    }
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

template <typename T>
void subtract_couplings(const DeviceCouplings& couplings, const double* values, Index begin,
                        Index end, int columns, const T* x, T* b, cudaStream_t stream) {
  if (begin == end) return;
  subtract_couplings_kernel<<<grid_for((end - begin) * columns, threads), threads, 0, stream>>>(
      couplings, values, begin, end, columns, x, b);
  check_launch("subtract_couplings");
}

template void reorder_rows(bool, const int*, Index, int, const double*, Index, float*, Index,
                           cudaStream_t);
template void reorder_rows(bool, const int*, Index, int, const double*, Index, double*, Index,
                           cudaStream_t);
template void reorder_rows(bool, const int*, Index, int, const float*, Index, double*, Index,
                           cudaStream_t);
template void reorder_rows(bool, const int*, Index, int, const float*, Index, float*, Index,
                           cudaStream_t);
template void subtract_couplings(const DeviceCouplings&, const double*, Index, Index, int,
                                 const float*, float*, cudaStream_t);
template void subtract_couplings(const DeviceCouplings&, const double*, Index, Index, int,
                                 const double*, double*, cudaStream_t);

}  // namespace spsolve::cuda
