#include "cuda/sparse/sweeps/sweep_tasks.cuh"
#include "cuda/sparse/sweeps/wide_sweep_kernels.hpp"

namespace spsolve::cuda::inline sparse {

namespace {

constexpr int side = sweep_side;
constexpr int rows_of_warp = side / sweep_warps;  // of the result
constexpr int step = 4;                           // rows of vectors that one instruction takes in

static_assert(rows_of_warp == 8);

/// The shared memory that a thread block works with, for at most `most` columns, a multiple of 8.
/// Between rows lie as many values as keep the lanes of half a warp, which read four rows, in
/// different banks.
template <int most>
struct WideSpace {
  static constexpr int stride = most + 4;
  static constexpr int blocks_a_processor = 2;

  double tile[side][stride];
  double other[2][side][stride];
  TileSums<double> contribution_sums;
};

/// A tile F of the factors as the lanes of each warp hold it for tensor cores: 8 rows of F, or of
/// F^T, a lane every fourth value of one of them.
struct WideTile {
  double values[side / step];
  int depth;  ///< rows of the vectors that it is multiplied with

  __device__ void load_rows(const double* f, Index ld, int rows, int columns) {
    const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    const int r = warp * rows_of_warp + lane / step;
    depth = columns;
#pragma unroll
    for (int k = 0; k < side / step; ++k) {
      const int j = k * step + lane % step;
      values[k] = r < rows && j < columns ? f[r + j * ld] : 0;
    }
  }

  __device__ void load_columns(const double* f, Index ld, int rows, int columns) {
    const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    const int j = warp * rows_of_warp + lane / step;
    depth = rows;
#pragma unroll
    for (int k = 0; k < side / step; ++k) {
      const int r = k * step + lane % step;
      values[k] = r < rows && j < columns ? f[r + j * ld] : 0;
    }
  }
};

/// 8 rows of a product by each warp; a lane has two neighbouring columns of one of them in every
/// eight.
template <int most>
struct WideSums {
  double values[most / 8][2] = {};

  /// sums <- sums + F z
  __device__ void add(const WideTile& f, const double (&z)[side][WideSpace<most>::stride]) {
    const int lane = threadIdx.x % warp_size;
#pragma unroll
    for (int k = 0; k < side / step; ++k) {
      if (k * step >= f.depth) break;
#pragma unroll
      for (int c = 0; c < most / 8; ++c) {
        const double y = z[k * step + lane % step][c * 8 + lane / step];
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                     : "+d"(values[c][0]), "+d"(values[c][1])
                     : "d"(f.values[k]), "d"(y));
      }
    }
  }

  /// Calls take(row, column, sum) for every sum of this lane.
  template <typename Take>
  __device__ void each(const Take& take) const {
    const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
#pragma unroll
    for (int c = 0; c < most / 8; ++c) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        take(warp * rows_of_warp + lane / 4, c * 8 + lane % 4 * 2 + e, values[c][e]);
      }
    }
  }
};

template <int most>
__device__ void forward_tile(const Sweep<double>& sweep, const SweepFront<double>& front, int tile,
                             WideSpace<most>& space) {
  const int columns = sweep.columns, rows = front.rows(tile);
  const bool pivots = front.is_pivots(tile);
  const int row = front.first_row(tile) + (pivots ? 0 : front.layout.border_row);
  const int blocks = pivots ? tile : front.layout.blocks();
  WideTile inverse, factor;
  // Loaded before anything is waited for.
  if (pivots) {
    const FrontPanel panel = front.layout.panel_of(row);
    inverse.load_rows(front.lower + panel.place(row, row), panel.ld, rows, rows);
  }
  begin_tile<most>(sweep, front, tile, space.contribution_sums, space.tile);
  WideSums<most> sums;
  for (int k = 0; k < blocks; ++k) {
    const FrontPanel panel = front.layout.panel_of(k * side);
    factor.load_rows(front.lower + panel.place(row, k * side), panel.ld, rows, front.rows(k));
    auto& other = space.other[k % 2];
    fetch<most>(
        sweep, front.rows(k), [&](int r) { return front.layout.first + k * side + r; }, other);
    __syncthreads();
    sums.add(factor, other);
  }
  __syncthreads();
  if (!pivots) {
    const Index first = front.layout.border_begin + front.first_row(tile);
    sums.each([&](int r, int c, double sum) {
      if (r < rows && c < columns) {
        publish(sweep.contribution + (first + r) * columns + c, space.tile[r][c] - sum);
      }
    });
    return;
  }
  sums.each([&](int r, int c, double sum) { space.tile[r][c] -= sum; });
  __syncthreads();
  WideSums<most> solved;
  solved.add(inverse, space.tile);
  solved.each([&](int r, int c, double sum) {
    if (r < rows && c < columns) {
      publish(sweep.x + (front.layout.first + row + r) * Index{columns} + c, sum);
    }
  });
}

template <int most>
__device__ void backward_block(const Sweep<double>& sweep, const SweepFront<double>& front,
                               int block, WideSpace<most>& space) {
  const int columns = sweep.columns, count = front.rows(block), blocks = front.layout.blocks();
  const FrontPanel panel = front.layout.panel_of(block * side);
  const Index ld = panel.ld;
  const double* f = front.upper + panel.place(0, block * side);
  const Index first = front.layout.first + block * side;
  WideTile inverse, factor;
  inverse.load_columns(f + block * side, ld, count, count);
  WideSums<most> sums;
  int turn = 0;
  const int* border = sweep.border + front.layout.border_begin;
  for (int r0 = 0; r0 < front.layout.border; r0 += side, turn = 1 - turn) {
    const int rows = min(side, front.layout.border - r0);
    factor.load_columns(f + front.layout.border_row + r0, ld, rows, count);
    fetch<most>(
        sweep, rows, [&](int r) { return border[r0 + r]; }, space.other[turn]);
    __syncthreads();
    sums.add(factor, space.other[turn]);
  }
  for (int k = blocks - 1; k > block; --k, turn = 1 - turn) {
    factor.load_columns(f + k * side, ld, front.rows(k), count);
    fetch<most>(
        sweep, front.rows(k), [&](int r) { return front.layout.first + k * side + r; },
        space.other[turn]);
    __syncthreads();
    sums.add(factor, space.other[turn]);
  }
  sums.each([&](int j, int c, double sum) {
    const bool inside = j < count && c < columns;
    space.tile[j][c] = inside ? sweep.b[(first + j) * columns + c] - sum : 0;
  });
  __syncthreads();
  WideSums<most> solved;
  solved.add(inverse, space.tile);
  solved.each([&](int j, int c, double sum) {
    if (j < count && c < columns) publish(sweep.x + (first + j) * columns + c, sum);
  });
}

template <bool forward>
void run(const Sweep<double>& sweep, const SweepTask* tasks, Index count, cudaStream_t stream) {
  if (sweep.columns <= 8) return launch_sweep<forward, WideSpace<8>>(sweep, tasks, count, stream);
  launch_sweep<forward, WideSpace<most_sweep_columns>>(sweep, tasks, count, stream);
}

}  // namespace

void sweep_wide(bool forward, const Sweep<double>& sweep, const SweepTask* tasks, Index count,
                cudaStream_t stream) {
  forward ? run<true>(sweep, tasks, count, stream) : run<false>(sweep, tasks, count, stream);
}

}  // namespace spsolve::cuda::sparse
