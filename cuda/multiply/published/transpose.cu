#include "cuda/core/launch.cuh"
#include "cuda/multiply/published/transpose.hpp"

namespace spsolve::cuda::inline multiply {

namespace {

constexpr int tile = 32;
constexpr int tile_rows = 8;  // threads of a block: 32 x 8

/// Tiles of 32 x 32 through shared memory, so that reads and writes are both of whole lines.
template <typename T>
__global__ void transpose_tiles(const T* from, T* to, Index rows, Index columns) {
  __shared__ T part[tile][tile + 1];
  const Index across = (columns + tile - 1) / tile;
  const Index tiles = (rows + tile - 1) / tile * across;
  for (Index id = blockIdx.x; id < tiles; id += gridDim.x) {
    const Index first_row = id / across * tile, first_column = id % across * tile;
    for (int r = threadIdx.y; r < tile; r += tile_rows) {
      const Index i = first_row + r, j = first_column + threadIdx.x;
      if (i < rows && j < columns) part[r][threadIdx.x] = from[i * columns + j];
    }
    __syncthreads();
    for (int r = threadIdx.y; r < tile; r += tile_rows) {
      const Index i = first_row + threadIdx.x, j = first_column + r;
      if (i < rows && j < columns) to[j * rows + i] = part[threadIdx.x][r];
    }
    __syncthreads();
  }
}

}  // namespace

template <typename T>
void transpose(const T* from, T* to, Index rows, Index columns) {
  if (rows == 0 || columns == 0) return;
  const Index tiles = (rows + tile - 1) / tile * ((columns + tile - 1) / tile);
  transpose_tiles<<<grid_for(tiles, 1), dim3(tile, tile_rows), 0, current_stream()>>>(
      from, to, rows, columns);
  check_launch("transpose");
}

SPSOLVE_INSTANTIATE_FUNCTION(transpose)

}  // namespace spsolve::cuda::multiply
