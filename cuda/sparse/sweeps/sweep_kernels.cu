#include <type_traits>

#include "cuda/core/sum_of_lanes.cuh"
#include "cuda/sparse/sweeps/sweep_kernels.hpp"
#include "cuda/sparse/sweeps/sweep_tasks.cuh"
#include "cuda/sparse/sweeps/wide_sweep_kernels.hpp"

namespace spsolve::cuda::inline sparse {

namespace {

constexpr int threads = sweep_threads, side = sweep_side, warps = sweep_warps;

/// Threads that share a row of a tile, and values of a tile that a thread has.
constexpr int groups = threads / side;
constexpr int values_of_thread = side / groups;

constexpr int summed_together = side / warps;  // sums over the lanes of a warp
static_assert(side / warp_size * summed_together == values_of_thread);

/// The shared memory that a thread block works with, for at most `most` columns.
template <typename T, int most>
struct Space {
  T tile[side][most];      ///< rows of the tile
  T other[2][side][most];  ///< rows of x that they depend on, in turn
  T parts[groups][side][most];
  TileSums<T> contribution_sums;

  // As many as there are registers for.
  static constexpr int blocks_a_processor = most * sizeof(T) <= 4 * sizeof(float) ? 2 : 1;
};

/// A tile of the factors as threads keep it: thread t has row t % side and every groups-th column.
template <typename T>
struct RowsOfTile {
  T values[values_of_thread];

  __device__ void load(const T* f, Index ld, int rows, int columns) {
    const int row = threadIdx.x % side, group = threadIdx.x / side;
#pragma unroll
    for (int i = 0; i < values_of_thread; ++i) {
      const int j = group + i * groups;
      values[i] = row < rows && j < columns ? f[row + j * ld] : T(0);
    }
  }

  /// sums <- sums + F z
  template <int most>
  __device__ void multiply(const T (&z)[side][most], T (&sums)[most]) const {
    const int group = threadIdx.x / side;
#pragma unroll
    for (int i = 0; i < values_of_thread; ++i) {
#pragma unroll
      for (int c = 0; c < most; ++c) sums[c] += values[i] * z[group + i * groups][c];
    }
  }
};

/// sums <- sums + F^T z: warp w has the columns w, w + warps, ..., its lanes the rows.
template <typename T>
struct ColumnsOfTile {
  T values[side / warp_size][summed_together];

  __device__ void load(const T* f, Index ld, int rows, int columns) {
    const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
#pragma unroll
    for (int h = 0; h < side / warp_size; ++h) {
#pragma unroll
      for (int q = 0; q < summed_together; ++q) {
        const int r = lane + h * warp_size, j = warp + q * warps;
        values[h][q] = r < rows && j < columns ? f[r + j * ld] : T(0);
      }
    }
  }

  /// sums <- sums + F^T z
  template <int most>
  __device__ void multiply(const T (&z)[side][most], T (&sums)[most][summed_together]) const {
    const int lane = threadIdx.x % warp_size;
#pragma unroll
    for (int h = 0; h < side / warp_size; ++h) {
#pragma unroll
      for (int c = 0; c < most; ++c) {
        const T x = z[lane + h * warp_size][c];
#pragma unroll
        for (int q = 0; q < summed_together; ++q) sums[c][q] += values[h][q] * x;
      }
    }
  }
};

/// Sums of all threads of each row; take(r, c, sum) has those of thread r * most + c, ....
template <typename T, int most, typename Take>
__device__ void add_parts(const T (&sums)[most], Space<T, most>& space, const Take& take) {
  const int row = threadIdx.x % side, part = threadIdx.x / side;
#pragma unroll
  for (int c = 0; c < most; ++c) space.parts[part][row][c] = sums[c];
  __syncthreads();
  for (int i = threadIdx.x; i < side * most; i += threads) {
    const int r = i / most, c = i % most;
    T sum = space.parts[0][r][c];
#pragma unroll
    for (int q = 1; q < groups; ++q) sum += space.parts[q][r][c];
    take(r, c, sum);
  }
}

template <typename T, int most>
__device__ void forward_tile(const Sweep<T>& sweep, const SweepFront<T>& front, int tile,
                             Space<T, most>& space) {
  const int columns = sweep.columns, rows = front.rows(tile);
  const bool pivots = front.is_pivots(tile);
  const int row = front.first_row(tile) + (pivots ? 0 : front.layout.border_row);
  const int blocks = pivots ? tile : front.layout.blocks();
  RowsOfTile<T> inverse, factor;
  // Loaded before anything is waited for.
  if (pivots) {
    const FrontPanel panel = front.layout.panel_of(row);
    inverse.load(front.lower + panel.place(row, row), panel.ld, rows, rows);
  }
  begin_tile<most>(sweep, front, tile, space.contribution_sums, space.tile);
  T sums[most] = {};
  for (int k = 0; k < blocks; ++k) {
    const FrontPanel panel = front.layout.panel_of(k * side);
    factor.load(front.lower + panel.place(row, k * side), panel.ld, rows, front.rows(k));
    auto& other = space.other[k % 2];
    fetch<most>(
        sweep, front.rows(k), [&](int r) { return front.layout.first + k * side + r; }, other);
    __syncthreads();
    factor.multiply(other, sums);
  }
  add_parts(sums, space, [&](int r, int c, T sum) { space.tile[r][c] -= sum; });
  if (!pivots) {
    const Index first = front.layout.border_begin + front.first_row(tile);
    for (int i = threadIdx.x; i < rows * most; i += threads) {
      const int r = i / most, c = i % most;
      if (c < columns) publish(sweep.contribution + (first + r) * columns + c, space.tile[r][c]);
    }
    return;
  }
  __syncthreads();
  T solved[most] = {};
  inverse.multiply(space.tile, solved);
  add_parts(solved, space, [&](int r, int c, T sum) {
    if (r < rows && c < columns) {
      publish(sweep.x + (front.layout.first + row + r) * Index{columns} + c, sum);
    }
  });
}

/// take(j, c, sum) has the sums over the lanes for column j of the tile.
template <typename T, int most, typename Take>
__device__ void add_lanes(T (&sums)[most][summed_together], const Take& take) {
#pragma unroll
  for (int c = 0; c < most; ++c) {
    const T sum = sum_of_lanes(sums[c]);
    if (has_own_sum<summed_together>())
      take(static_cast<int>(threadIdx.x) / warp_size + sum_of_this_lane<summed_together>() * warps,
           c, sum);
  }
}

template <typename T, int most>
__device__ void backward_block(const Sweep<T>& sweep, const SweepFront<T>& front, int block,
                               Space<T, most>& space) {
  const int columns = sweep.columns, count = front.rows(block), blocks = front.layout.blocks();
  const FrontPanel panel = front.layout.panel_of(block * side);
  const Index ld = panel.ld;
  const T* f = front.upper + panel.place(0, block * side);
  const Index first = front.layout.first + block * side;
  ColumnsOfTile<T> inverse, factor;
  inverse.load(f + block * side, ld, count, count);
  T sums[most][summed_together] = {};
  int turn = 0;
  const int* border = sweep.border + front.layout.border_begin;
  for (int r0 = 0; r0 < front.layout.border; r0 += side, turn = 1 - turn) {
    const int rows = min(side, front.layout.border - r0);
    factor.load(f + front.layout.border_row + r0, ld, rows, count);
    fetch<most>(
        sweep, rows, [&](int r) { return border[r0 + r]; }, space.other[turn]);
    __syncthreads();
    factor.multiply(space.other[turn], sums);
  }
  for (int k = blocks - 1; k > block; --k, turn = 1 - turn) {
    factor.load(f + k * side, ld, front.rows(k), count);
    fetch<most>(
        sweep, front.rows(k), [&](int r) { return front.layout.first + k * side + r; },
        space.other[turn]);
    __syncthreads();
    factor.multiply(space.other[turn], sums);
  }
  add_lanes(sums, [&](int j, int c, T sum) {
    const bool inside = j < count && c < columns;
    space.tile[j][c] = inside ? sweep.b[(first + j) * columns + c] - sum : T(0);
  });
  __syncthreads();
  T solved[most][summed_together] = {};
  inverse.multiply(space.tile, solved);
  add_lanes(solved, [&](int j, int c, T sum) {
    if (j < count && c < columns) publish(sweep.x + (first + j) * columns + c, sum);
  });
}

template <bool forward, typename T>
void run(const Sweep<T>& sweep, const SweepTask* tasks, Index count, cudaStream_t stream) {
  if (count == 0) return;
  if (sweep.columns == 1) return launch_sweep<forward, Space<T, 1>>(sweep, tasks, count, stream);
  if (sweep.columns <= 4) return launch_sweep<forward, Space<T, 4>>(sweep, tasks, count, stream);
  if constexpr (std::is_same_v<T, double>) {
    sweep_wide(forward, sweep, tasks, count, stream);
  } else {
    launch_sweep<forward, Space<T, most_sweep_columns>>(sweep, tasks, count, stream);
  }
}

}  // namespace

template <typename T>
void sweep_forward(const Sweep<T>& sweep, const SweepTask* tasks, Index count,
                   cudaStream_t stream) {
  run<true>(sweep, tasks, count, stream);
}

template <typename T>
void sweep_backward(const Sweep<T>& sweep, const SweepTask* tasks, Index count,
                    cudaStream_t stream) {
  run<false>(sweep, tasks, count, stream);
}

SPSOLVE_INSTANTIATE_FUNCTION(sweep_forward)
SPSOLVE_INSTANTIATE_FUNCTION(sweep_backward)

}  // namespace spsolve::cuda::sparse
