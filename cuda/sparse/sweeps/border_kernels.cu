#include "cuda/core/sum_of_lanes.cuh"
#include "cuda/sparse/sweeps/border_kernels.hpp"
#include "cuda/sparse/sweeps/sweep_tasks.cuh"

namespace spsolve::cuda::inline sparse {

namespace {

constexpr int threads = sweep_threads;
constexpr int rows_of_lane = rows_of_border_piece / warp_size;

/// Block (p, k): piece p of the border, and block k of the pivots, whose columns of U12^T warps
/// take in turn. parts[(p pivots + j) columns + c] <- the sum over the piece's rows of U(j, r)
/// x_rc.
template <typename T, int most>
__global__ void __launch_bounds__(threads)
    multiply_border_kernel(const __grid_constant__ Sweep<T> sweep, int number, T* parts) {
  __shared__ T x[most][rows_of_border_piece + 1];  // by columns: lanes read neighbouring rows
  const SweepFront<T> front(sweep, number);
  const FrontLayout& layout = front.layout;
  const int columns = sweep.columns;
  const int first = static_cast<int>(blockIdx.x) * rows_of_border_piece;
  const int rows = min(rows_of_border_piece, layout.border - first);
  const int* const border = sweep.border + layout.border_begin + first;
  for (int i = threadIdx.x; i < rows_of_border_piece * most; i += threads) {
    const int r = i / most, c = i % most;
    x[c][r] = r < rows && c < columns ? sweep.x[border[r] * Index{columns} + c] : T(0);
  }
  __syncthreads();
  const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  const int block = static_cast<int>(blockIdx.y), pivots = front.rows(block);
  for (int j = warp; j < pivots; j += sweep_warps) {
    const int pivot = block * sweep_side + j;
    const T* const u = front.upper + layout.place(layout.border_row + first, pivot);
    T values[rows_of_lane];
#pragma unroll
    for (int i = 0; i < rows_of_lane; ++i) {
      const int r = lane + i * warp_size;
      values[i] = r < rows ? __ldcs(u + r) : T(0);
    }
    T sums[most];
#pragma unroll
    for (int c = 0; c < most; ++c) {
      sums[c] = 0;
#pragma unroll
      for (int i = 0; i < rows_of_lane; ++i) sums[c] += values[i] * x[c][lane + i * warp_size];
    }
    const T sum = sum_of_lanes(sums);
    const int c = sum_of_this_lane<most>();
    if (has_own_sum<most>() && c < columns) {
      parts[(static_cast<Index>(blockIdx.x) * layout.pivots + pivot) * columns + c] = sum;
    }
  }
}

/// A thread for each value of y.
template <typename T>
__global__ void __launch_bounds__(threads)
    subtract_parts_kernel(int pieces, Index count, const T* parts, T* y) {
  for (Index i = thread_index(); i < count; i += thread_count()) {
    T sum = 0;
#pragma unroll 8
    for (int p = 0; p < pieces; ++p) sum += parts[p * count + i];
    y[i] -= sum;
  }
}

}  // namespace

template <typename T>
void subtract_border(const Sweep<T>& sweep, int front, const FrontLayout& layout, T* parts, T* y,
                     cudaStream_t stream) {
  const Index pieces = pieces_of_border(layout.border);
  if (pieces == 0) return;
  const auto launch = [&](auto kernel) {
    const dim3 grid(static_cast<unsigned>(pieces), static_cast<unsigned>(layout.blocks()));
    kernel<<<grid, threads, 0, stream>>>(sweep, front, parts);
  };
  if (sweep.columns == 1) {
    launch(multiply_border_kernel<T, 1>);
  } else if (sweep.columns <= 4) {
    launch(multiply_border_kernel<T, 4>);
  } else {
    launch(multiply_border_kernel<T, most_sweep_columns>);
  }
  const Index count = layout.pivots * Index{sweep.columns};
  subtract_parts_kernel<<<grid_for(count, threads), threads, 0, stream>>>(
      static_cast<int>(pieces), count, parts, y + layout.first * Index{sweep.columns});
  check_launch("subtract_border");
}

SPSOLVE_INSTANTIATE_FUNCTION(subtract_border)

}  // namespace spsolve::cuda::sparse
