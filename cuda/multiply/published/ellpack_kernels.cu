#include "cuda/core/launch.cuh"
#include "cuda/multiply/published/ellpack_kernels.hpp"
#include "cuda/multiply/storage/width.hpp"

namespace spsolve::cuda::inline multiply {

namespace {

constexpr int block = 512;

/// Elements first, first + step, ... of `row` times column c of X.
template <typename T>
__device__ T partial_sum(const EllpackView<T>& a, const T* x, Index columns, Index row, Index c,
                         Index first, Index step) {
  T sum{};
  for (Index j = first; j < a.width; j += step) {
    const Index place = row + j * a.padded_rows;
    const LocalIndex column = a.column_indices[place];
    if (column < 0) break;
    sum += a.values[place] * x[column * columns + c];
  }
  return sum;
}

template <typename T>
__global__ void whole_rows(EllpackView<T> a, const T* x, T* y, Index columns) {
  for (Index e = thread_index(); e < a.rows * columns; e += thread_count()) {
    y[e] = partial_sum(a, x, columns, e / columns, e % columns, 0, 1);
  }
}

template <int threads, typename T>
__global__ void shared_rows(EllpackView<T> a, const T* x, T* y, Index columns) {
  constexpr int per_warp = warp_size / threads;
  const int lane = threadIdx.x % warp_size;
  const Index elements = a.rows * columns;
  const Index stride = thread_count() / threads;
  // `first` is the same for all lanes of a warp, so that all of them take part in the sums.
  for (Index first = thread_index() / warp_size * per_warp; first < elements; first += stride) {
    const Index e = first + lane / threads;
    T sum{};
    if (e < elements) {
      sum = partial_sum(a, x, columns, e / columns, e % columns, lane % threads, threads);
    }
    sum = sum_of_group<threads>(sum);
    if (lane % threads == 0 && e < elements) y[e] = sum;
  }
}

}  // namespace

template <typename T>
void ellpack(const EllpackView<T>& a, const T* x, T* y, Index columns) {
  if (a.rows == 0) return;
  whole_rows<<<grid_for(a.rows * columns, block), block, 0, current_stream()>>>(a, x, y, columns);
  check_launch("ellpack");
}

template <typename T>
void ellpack_subwarp(const EllpackView<T>& a, const T* x, T* y, Index columns, int threads) {
  if (a.rows == 0) return;
  with_width<1, 2, 4, 8, 16, 32>("ellpack_subwarp", threads, 2, [&](auto constant) {
    constexpr int width = decltype(constant)::value;
    const unsigned grid = grid_for(a.rows * columns, block / width);
    shared_rows<width><<<grid, block, 0, current_stream()>>>(a, x, y, columns);
  });
  check_launch("ellpack_subwarp");
}

SPSOLVE_INSTANTIATE_FUNCTION(ellpack)
SPSOLVE_INSTANTIATE_FUNCTION(ellpack_subwarp)

}  // namespace spsolve::cuda::multiply
