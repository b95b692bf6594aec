#include "cuda/core/launch.cuh"
#include "cuda/multiply/published/csr_kernels.hpp"
#include "cuda/multiply/storage/width.hpp"

namespace spsolve::cuda::inline multiply {

namespace {

constexpr int block = 512;
constexpr int rows_per_block = block / warp_size;
constexpr int columns_per_warp = 8;
constexpr int group_size = warp_size / columns_per_warp;

/// The part of element (row, c) that thread `place` of `width` sums up.
template <typename T>
__device__ T partial_sum(const CsrView<T>& a, const T* x, Index columns, Index row, Index c,
                         int place, int width) {
  T sum{};
  const Index end = a.row_offsets[row + 1];
  for (Index k = a.row_offsets[row] + place; k < end; k += width) {
    sum += a.values[k] * x[a.column_indices[k] * columns + c];
  }
  return sum;
}

template <typename T>
__global__ void vector(CsrView<T> a, const T* x, T* y, Index columns) {
  __shared__ T sums[block];
  const int lane = threadIdx.x % warp_size;
  T* const own = sums + (threadIdx.x - lane);
  const Index warps = thread_count() / warp_size;
  for (Index e = thread_index() / warp_size; e < a.rows * columns; e += warps) {
    own[lane] = partial_sum(a, x, columns, e / columns, e % columns, lane, warp_size);
    for (int half = warp_size / 2; half > 0; half /= 2) {
      __syncwarp();
      if (lane < half) own[lane] += own[lane + half];
    }
    if (lane == 0) y[e] = own[0];
    __syncwarp();
  }
}

template <int width, typename T>
__global__ void vector_subwarp(CsrView<T> a, const T* x, T* y, Index columns) {
  constexpr int per_warp = warp_size / width;
  const int lane = threadIdx.x % warp_size;
  const Index elements = a.rows * columns;
  const Index stride = thread_count() / width;
  // `first` is the same for all lanes of a warp, so that all of them take part in the sums.
  for (Index first = thread_index() / warp_size * per_warp; first < elements; first += stride) {
    const Index e = first + lane / width;
    T sum{};
    if (e < elements) {
      sum = partial_sum(a, x, columns, e / columns, e % columns, lane % width, width);
    }
    sum = sum_of_group<width>(sum);
    if (lane % width == 0 && e < elements) y[e] = sum;
  }
}

template <typename T>
__global__ void vector_by_row(CsrView<T> a, const T* x_transposed, T* y, Index columns) {
  const int lane = threadIdx.x % warp_size;
  const int group = lane / group_size, place = lane % group_size;
  const Index warps = thread_count() / warp_size;
  for (Index row = thread_index() / warp_size; row < a.rows; row += warps) {
    for (Index first = 0; first < columns; first += columns_per_warp) {
      const Index c = first + group;
      T sum{};
      if (c < columns) {
        sum = partial_sum(a, x_transposed + c * a.columns, 1, row, 0, place, group_size);
      }
      sum = sum_of_group<group_size>(sum);
      if (place == 0 && c < columns) y[row * columns + c] = sum;
    }
  }
}

}  // namespace

template <typename T>
void csr_vector(const CsrView<T>& a, const T* x, T* y, Index columns) {
  if (a.rows == 0) return;
  const unsigned grid = grid_for(a.rows * columns, block / warp_size);
  vector<<<grid, block, 0, current_stream()>>>(a, x, y, columns);
  check_launch("csr_vector");
}

template <typename T>
void csr_vector_subwarp(const CsrView<T>& a, const T* x, T* y, Index columns, int width) {
  if (a.rows == 0) return;
  with_width<1, 2, 4, 8, 16, 32>("csr_vector_subwarp", width, 2, [&](auto constant) {
    constexpr int threads = decltype(constant)::value;
    const unsigned grid = grid_for(a.rows * columns, block / threads);
    vector_subwarp<threads><<<grid, block, 0, current_stream()>>>(a, x, y, columns);
  });
  check_launch("csr_vector_subwarp");
}

template <typename T>
void csr_vector_by_row(const CsrView<T>& a, const T* x_transposed, T* y, Index columns) {
  if (a.rows == 0) return;
  const unsigned grid = grid_for(a.rows, rows_per_block);
  vector_by_row<<<grid, block, 0, current_stream()>>>(a, x_transposed, y, columns);
  check_launch("csr_vector_by_row");
}

SPSOLVE_INSTANTIATE_FUNCTION(csr_vector)
SPSOLVE_INSTANTIATE_FUNCTION(csr_vector_subwarp)
SPSOLVE_INSTANTIATE_FUNCTION(csr_vector_by_row)

}  // namespace spsolve::cuda::multiply
