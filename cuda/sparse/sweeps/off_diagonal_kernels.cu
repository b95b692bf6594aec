#include "cuda/core/launch.cuh"
#include "cuda/sparse/sweeps/off_diagonal_kernels.hpp"
#include "sparse/layout/device_layout.hpp"

namespace spsolve::cuda::inline sparse {

namespace {

constexpr int threads = 256;
constexpr int warps = threads / warp_size;

/// The sum over off-diagonal entries begin, begin + step, ... before `end` of values times column c
/// of x.
template <typename T>
__device__ T sum_of_off_diagonal_blocks(const DeviceOffDiagonalBlocks& off_diagonal_blocks,
                                        const double* values, int c, int columns, const T* x,
                                        Index begin, Index end, Index step) {
  T sum = 0;
#pragma unroll 4
  for (Index e = begin; e < end; e += step) {
    sum += static_cast<T>(values[off_diagonal_blocks.sources[e]]) *
           x[off_diagonal_blocks.columns[e] * Index{columns} + c];
  }
  return sum;
}

/// A thread block for each piece of a long row; thread t has column t % width.
template <int width, typename T>
__global__ void __launch_bounds__(threads)
    sum_pieces_kernel(DeviceOffDiagonalBlocks off_diagonal_blocks, const double* values,
                      Index first_piece, int columns, const T* x, T* parts) {
  __shared__ T of_warps[warps][width];
  const Index piece = first_piece + blockIdx.x;
  const int row = off_diagonal_blocks.piece_rows[piece];
  const Index begin =
      off_diagonal_blocks.starts[row] +
      (piece - off_diagonal_blocks.piece_starts[row]) * off_diagonal_blocks_of_piece;
  const Index end = min(begin + off_diagonal_blocks_of_piece, off_diagonal_blocks.starts[row + 1]);
  const int c = static_cast<int>(threadIdx.x) % width;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  T sum = c < columns
              ? sum_of_off_diagonal_blocks(off_diagonal_blocks, values, c, columns, x,
                                           begin + threadIdx.x / width, end, threads / width)
              : T(0);
  __syncwarp();
#pragma unroll
  for (int distance = width; distance < warp_size; distance *= 2) {
    sum += __shfl_xor_sync(whole_warp, sum, distance);
  }
  if (lane < width) of_warps[threadIdx.x / warp_size][lane] = sum;
  __syncthreads();
  if (threadIdx.x >= static_cast<unsigned>(columns)) return;
  T all = 0;
#pragma unroll
  for (int warp = 0; warp < warps; ++warp) all += of_warps[warp][c];
  parts[blockIdx.x * Index{columns} + c] = all;
}

/// A thread for each value of b, with the sums of pieces where its row has any.
template <typename T>
__global__ void __launch_bounds__(threads)
    subtract_off_diagonal_blocks_kernel(DeviceOffDiagonalBlocks off_diagonal_blocks,
                                        const double* values, Range rows, Index first_piece,
                                        int columns, const T* x, T* b, const T* parts) {
  for (Index i = thread_index(); i < rows.size() * columns; i += thread_count()) {
    const Index row = rows.first + i / columns;
    const int c = static_cast<int>(i % columns);
    const Index piece = off_diagonal_blocks.piece_starts[row],
                behind = off_diagonal_blocks.piece_starts[row + 1];
    T sum = 0;
    if (piece == behind) {
      sum = sum_of_off_diagonal_blocks(off_diagonal_blocks, values, c, columns, x,
                                       off_diagonal_blocks.starts[row],
                                       off_diagonal_blocks.starts[row + 1], 1);
    }
#pragma unroll 8
    for (Index k = piece; k < behind; ++k) sum += parts[(k - first_piece) * columns + c];
    b[off_diagonal_blocks.rows[row] * Index{columns} + c] -= sum;
  }
}

template <int width, typename T>
void sum_pieces(const DeviceOffDiagonalBlocks& off_diagonal_blocks, const double* values,
                Range pieces, int columns, const T* x, T* parts, cudaStream_t stream) {
  sum_pieces_kernel<width><<<static_cast<unsigned>(pieces.size()), threads, 0, stream>>>(
      off_diagonal_blocks, values, pieces.first, columns, x, parts);
  check_launch("sum_pieces");
}

}  // namespace

template <typename T>
void subtract_off_diagonal_blocks(const DeviceOffDiagonalBlocks& off_diagonal_blocks,
                                  const double* values, Range rows, Range pieces, int columns,
                                  const T* x, T* b, T* parts, cudaStream_t stream) {
  static_assert(most_sweep_columns <= 16);
  if (rows.size() == 0) return;
  if (pieces.size() > 0) {
    const auto sum = columns == 1   ? sum_pieces<1, T>
                     : columns <= 4 ? sum_pieces<4, T>
                                    : sum_pieces<most_sweep_columns, T>;
    sum(off_diagonal_blocks, values, pieces, columns, x, parts, stream);
  }
  subtract_off_diagonal_blocks_kernel<<<grid_for(rows.size() * columns, threads), threads, 0,
                                        stream>>>(off_diagonal_blocks, values, rows, pieces.first,
                                                  columns, x, b, parts);
  check_launch("subtract_off_diagonal_blocks");
}

SPSOLVE_INSTANTIATE_FUNCTION(subtract_off_diagonal_blocks)

}  // namespace spsolve::cuda::sparse
