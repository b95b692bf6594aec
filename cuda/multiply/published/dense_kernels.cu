#include "cuda/core/launch.cuh"
#include "cuda/multiply/published/dense_kernels.hpp"
#include "cuda/multiply/storage/width.hpp"

namespace spsolve::cuda::inline multiply {

namespace {

/// C = A B for row-major A (m x n), B (n x p), C (m x p). Blocks of tile x tile threads.
template <int tile, typename T>
__global__ void multiply_tiles(const T* a, const T* b, T* c, Index m, Index n, Index p) {
  __shared__ T a_tile[tile][tile];
  __shared__ T b_tile[tile][tile];
  const int across = threadIdx.x, down = threadIdx.y;
  const Index tiles_across = (p + tile - 1) / tile;
  const Index tiles = (m + tile - 1) / tile * tiles_across;
  for (Index id = blockIdx.x; id < tiles; id += gridDim.x) {
    const Index row = id / tiles_across * tile + down;
    const Index column = id % tiles_across * tile + across;
    T sum{};
    for (Index first = 0; first < n; first += tile) {
      const Index a_column = first + across, b_row = first + down;
      a_tile[down][across] = row < m && a_column < n ? a[row * n + a_column] : T{};
      b_tile[down][across] = b_row < n && column < p ? b[b_row * p + column] : T{};
      __syncthreads();
      for (int k = 0; k < tile; ++k) sum += a_tile[down][k] * b_tile[k][across];
      __syncthreads();
    }
    if (row < m && column < p) c[row * p + column] = sum;
  }
}

}  // namespace

template <typename T>
void dense_tiled(const DeviceDense<T>& a, const T* x, T* y, Index columns) {
  if (a.rows == 0) return;
  with_width<2, 4, 8, 16, 32>("dense_tiled", a.width, 32, [&](auto constant) {
    constexpr int tile = decltype(constant)::value;
    const Index tiles = (a.rows + tile - 1) / tile * ((columns + tile - 1) / tile);
    multiply_tiles<tile><<<grid_for(tiles, 1), dim3(tile, tile), 0, current_stream()>>>(
        a.values.data(), x, y, a.rows, a.columns, columns);
  });
  check_launch("dense_tiled");
}

SPSOLVE_INSTANTIATE_FUNCTION(dense_tiled)

}  // namespace spsolve::cuda::multiply
