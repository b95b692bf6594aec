#include "apps/bench/gpu/random_system.hpp"
#include "cuda/core/launch.cuh"
#include "matrix/random.hpp"

namespace spsolve::cuda {

namespace {

constexpr int threads = 256;

__device__ double element(unsigned long long key, double diagonal, Index i, Index j) {
  const double value =
      symmetric_interval(random_bits(key, static_cast<std::uint64_t>(i << 32 | j)));
  return i == j ? value + diagonal : value;
}

__global__ void fill_columns(unsigned long long key, double diagonal, Index n, Index first,
                             Index columns, double* a, Index lda) {
  const Index i = thread_index();
  if (i >= n) return;
  for (Index j = blockIdx.y; j < columns; j += gridDim.y) {
    a[j * lda + i] = element(key, diagonal, i, first + j);
  }
}

/// Largest of doubles that are at least 0: their bits order them.
__device__ void keep_largest(double* largest, double value) {
  atomicMax(reinterpret_cast<unsigned long long*>(largest),
            static_cast<unsigned long long>(__double_as_longlong(value)));
}

/// A block a row.
__global__ void row_sums(const double* a, Index stride, Index rows, Index columns, double* norm) {
  __shared__ double sums[threads / warp_size];
  for (Index i = blockIdx.x; i < rows; i += gridDim.x) {
    double sum = 0;
    for (Index j = threadIdx.x; j < columns; j += threads) sum += fabs(a[i * stride + j]);
    sum = sum_of_group<warp_size>(sum);
    if (threadIdx.x % warp_size == 0) sums[threadIdx.x / warp_size] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
      double whole = 0;
      for (const double part : sums) whole += part;
      keep_largest(norm, whole);
    }
    __syncthreads();
  }
}

/// A block a row.
__global__ void residual(unsigned long long key, double diagonal, Index first, Index last, Index n,
                         const double* x, const double* b, double* norms) {
  __shared__ double sums[2][threads / warp_size];
  for (Index i = first + blockIdx.x; i < last; i += gridDim.x) {
    double product = 0, magnitude = 0;
    for (Index j = threadIdx.x; j < n; j += threads) {
      const double value = element(key, diagonal, i, j);
      product += value * x[j];
      magnitude += fabs(value);
    }
    product = sum_of_group<warp_size>(product);
    magnitude = sum_of_group<warp_size>(magnitude);
    if (threadIdx.x % warp_size == 0) {
      sums[0][threadIdx.x / warp_size] = product;
      sums[1][threadIdx.x / warp_size] = magnitude;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      double whole = 0, norm = 0;
      for (int w = 0; w < threads / warp_size; ++w) {
        whole += sums[0][w];
        norm += sums[1][w];
      }
      keep_largest(norms, fabs(b[i] - whole));
      keep_largest(norms + 1, norm);
    }
    __syncthreads();
  }
}

}  // namespace

void fill_random_columns(unsigned long long key, double diagonal, Index n, Index first,
                         Index columns, double* a, Index lda, cudaStream_t stream) {
  if (columns == 0) return;
  const dim3 grid(grid_for(n, threads), static_cast<unsigned>(std::min<Index>(columns, 65535)));
  fill_columns<<<grid, threads, 0, stream>>>(key, diagonal, n, first, columns, a, lda);
  check_launch("fill_random_columns");
}

void largest_row_sum(const double* a, Index stride, Index rows, Index columns, double* norm,
                     cudaStream_t stream) {
  CUDA_CHECK(cudaMemsetAsync(norm, 0, sizeof(double), stream));
  if (rows == 0) return;
  row_sums<<<grid_for(rows, 1), threads, 0, stream>>>(a, stride, rows, columns, norm);
  check_launch("largest_row_sum");
}

void random_residual(unsigned long long key, double diagonal, Index first, Index last, Index n,
                     const double* x, const double* b, double* norms, cudaStream_t stream) {
  CUDA_CHECK(cudaMemsetAsync(norms, 0, 2 * sizeof(double), stream));
  if (last <= first) return;
  residual<<<grid_for(last - first, 1), threads, 0, stream>>>(key, diagonal, first, last, n, x, b,
                                                              norms);
  check_launch("random_residual");
}

}  // namespace spsolve::cuda
