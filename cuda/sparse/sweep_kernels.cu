#include "cuda/sparse/sweep_counters.cuh"
#include "cuda/sparse/sweep_kernels.hpp"

namespace spsolve::cuda {

namespace {

constexpr int threads = 256;
constexpr int side = pivot_block;
constexpr int warps = threads / warp_size;

/// What a thread block works with, for at most `most` columns.
template <typename T, int most>
struct Space {
  T tile[side][most];   ///< rows of the tile
  T other[side][most];  ///< rows of x that they depend on
  T parts[threads / side][side][most];
  int task;
};

/// The front's factors for a sweep.
template <typename T>
struct SweepFront {
  FrontPlace place;
  const T* lower;
  const T* upper;
  int index;

  __device__ SweepFront(const Sweep<T>& sweep, int front)
      : place(sweep.places[front]),
        lower(sweep.factors + (sweep.transposed ? place.upper : place.lower)),
        upper(sweep.factors + (sweep.transposed ? place.lower : place.upper)),
        index(front) {}

  /// Rows of tile number `tile`, of the border from `border` on.
  __device__ bool is_pivots(int tile) const { return tile < place.blocks(); }
  __device__ int first_row(int tile) const {
    return is_pivots(tile) ? tile * side : (tile - place.blocks()) * side;
  }
  __device__ int rows(int tile) const {
    return min(side, (is_pivots(tile) ? place.pivots : place.border) - first_row(tile));
  }
};

/// space.tile <- what the sweep begins with in these rows: x for pivots, and what children hand up.
template <typename T, int most>
__device__ void begin_tile(const Sweep<T>& sweep, const SweepFront<T>& front, int tile,
                           Space<T, most>& space) {
  const int columns = sweep.columns, rows = front.rows(tile), first = front.first_row(tile);
  const bool pivots = front.is_pivots(tile);
  const Index row = front.place.first_row() + first + (pivots ? 0 : front.place.pivots);
  for (int i = threadIdx.x; i < rows * columns; i += threads) {
    const int r = i / columns, c = i % columns;
    T sum = pivots ? __ldcg(sweep.x + (front.place.first + first + r) * Index{columns} + c) : T(0);
    for (unsigned e = sweep.taken_starts[row + r]; e < sweep.taken_starts[row + r + 1]; ++e) {
      sum += __ldcg(sweep.passed_up + sweep.taken[e] * Index{columns} + c);
    }
    space.tile[r][c] = sum;
  }
  __syncthreads();
}

/// sums <- sums + F z for `rows` x `count` values F, column-major, and z in space.other: thread t
/// has row t % side and every (threads / side)-th column.
template <typename T, int most>
__device__ void multiply_tile(const T* f, Index ld, int rows, int count, int columns,
                              const Space<T, most>& space, T (&sums)[most]) {
  const int row = threadIdx.x % side;
  if (row >= rows) return;
#pragma unroll 8
  for (int j = threadIdx.x / side; j < count; j += threads / side) {
    const T value = f[row + j * ld];
#pragma unroll
    for (int c = 0; c < most; ++c) {
      if (c < columns) sums[c] += value * space.other[j][c];
    }
  }
}

/// The sums of all threads of each row, in space.parts[0].
template <typename T, int most>
__device__ void add_parts(const T (&sums)[most], Space<T, most>& space) {
  const int row = threadIdx.x % side, part = threadIdx.x / side;
#pragma unroll
  for (int c = 0; c < most; ++c) space.parts[part][row][c] = sums[c];
  __syncthreads();
  for (int i = threadIdx.x; i < side * most; i += threads) {
    const int r = i / most, c = i % most;
    T sum = space.parts[0][r][c];
#pragma unroll
    for (int q = 1; q < threads / side; ++q) sum += space.parts[q][r][c];
    space.parts[0][r][c] = sum;
  }
  __syncthreads();
}

/// space.other <- x's rows of a block of the front's pivots.
template <typename T, int most>
__device__ void load_block(const Sweep<T>& sweep, const SweepFront<T>& front, int block,
                           Space<T, most>& space) {
  const int columns = sweep.columns;
  for (int i = threadIdx.x; i < front.rows(block) * columns; i += threads) {
    space.other[i / columns][i % columns] =
        __ldcg(sweep.x + (front.place.first + block * side) * Index{columns} + i);
  }
  __syncthreads();
}

template <typename T, int most>
__device__ void forward_tile(const Sweep<T>& sweep, const SweepFront<T>& front, int tile,
                             Space<T, most>& space) {
  const int columns = sweep.columns, rows = front.rows(tile);
  const bool pivots = front.is_pivots(tile);
  const Index ld = front.place.ld;
  const int row = front.first_row(tile) + (pivots ? 0 : front.place.border_row);
  begin_tile(sweep, front, tile, space);
  T sums[most] = {};
  const int blocks = pivots ? tile : front.place.blocks();
  for (int k = 0; k < blocks; ++k) {
    wait_until(sweep.done + front.index, k + 1);
    load_block(sweep, front, k, space);
    multiply_tile(front.lower + row + k * side * ld, ld, rows, front.rows(k), columns, space, sums);
    __syncthreads();
  }
  if (blocks > 0) {
    add_parts(sums, space);
    for (int i = threadIdx.x; i < rows * columns; i += threads) {
      space.tile[i / columns][i % columns] -= space.parts[0][i / columns][i % columns];
    }
    __syncthreads();
  }
  if (!pivots) {
    T* to = sweep.passed_up + (front.place.border_begin + front.first_row(tile)) * columns;
    for (int i = threadIdx.x; i < rows * columns; i += threads) {
      __stcg(to + i, space.tile[i / columns][i % columns]);
    }
    return;
  }
  for (int i = threadIdx.x; i < rows * columns; i += threads) {
    space.other[i / columns][i % columns] = space.tile[i / columns][i % columns];
  }
  __syncthreads();
  T solved[most] = {};
  multiply_tile(front.lower + row + row * ld, ld, rows, rows, columns, space, solved);
  add_parts(solved, space);
  T* to = sweep.x + (front.place.first + row) * Index{columns};
  for (int i = threadIdx.x; i < rows * columns; i += threads) {
    __stcg(to + i, space.parts[0][i / columns][i % columns]);
  }
  raise(sweep.done + front.index);
}

/// sums <- sums + F^T z for `rows` x `count` values F and rows of x that `row_of` names: a warp has
/// every warps-th column, its lanes the rows.
template <typename T, int most, int own, typename RowOf>
__device__ void multiply_transposed(const Sweep<T>& sweep, const T* f, Index ld, int rows,
                                    int count, const RowOf& row_of, T (&sums)[own][most]) {
  const int warp = threadIdx.x / warp_size;
  const int columns = sweep.columns;
  for (int r = threadIdx.x % warp_size; r < rows; r += warp_size) {
    const T* x = sweep.x + row_of(r) * Index{columns};
    T z[most];
#pragma unroll
    for (int c = 0; c < most; ++c) z[c] = c < columns ? __ldcg(x + c) : T(0);
#pragma unroll
    for (int q = 0; q < own; ++q) {
      const int j = warp + q * warps;
      const T value = j < count ? f[r + j * ld] : T(0);
#pragma unroll
      for (int c = 0; c < most; ++c) sums[q][c] += value * z[c];
    }
  }
}

template <typename T, int most>
__device__ void backward_block(const Sweep<T>& sweep, const SweepFront<T>& front, int block,
                               Space<T, most>& space) {
  constexpr int own = side / warps;
  const int columns = sweep.columns, count = front.rows(block), blocks = front.place.blocks();
  const Index ld = front.place.ld;
  const T* f = front.upper + block * side * ld;
  T sums[own][most] = {};
  if (front.place.parent >= 0) {
    const int parent = front.place.parent;
    wait_until(sweep.done + parent, sweep.places[parent].blocks());
    const int* rows = sweep.border + front.place.border_begin;
    multiply_transposed(
        sweep, f + front.place.border_row, ld, front.place.border, count,
        [&](int r) { return rows[r]; }, sums);
  }
  for (int k = blocks - 1; k > block; --k) {
    wait_until(sweep.done + front.index, blocks - k);
    multiply_transposed(
        sweep, f + k * side, ld, front.rows(k), count,
        [&](int r) { return front.place.first + k * side + r; }, sums);
  }
#pragma unroll
  for (int q = 0; q < own; ++q) {
#pragma unroll
    for (int c = 0; c < most; ++c) {
      T sum = sums[q][c];
      for (int distance = warp_size / 2; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(whole_warp, sum, distance);
      }
      if (threadIdx.x % warp_size == 0) space.tile[threadIdx.x / warp_size + q * warps][c] = sum;
    }
  }
  __syncthreads();
  T* x = sweep.x + (front.place.first + block * side) * Index{columns};
  for (int i = threadIdx.x; i < count * columns; i += threads) {
    const int r = i / columns, c = i % columns;
    space.tile[r][c] = __ldcg(x + i) - space.tile[r][c];
  }
  __syncthreads();
  // x <- U^-1 of it, whose transpose is in upper: a thread a row, which is a column there.
  const T* inverse = f + block * side;
  for (int i = threadIdx.x; i < count * columns; i += threads) {
    const int r = i / columns, c = i % columns;
    T sum = 0;
    for (int j = 0; j < count; ++j) sum += inverse[j + r * ld] * space.tile[j][c];
    __stcg(x + i, sum);
  }
  raise(sweep.done + front.index);
}

template <typename T, int most>
__global__ void __launch_bounds__(threads)
    sweep_kernel(Sweep<T> sweep, const SweepTask* tasks, int count, bool forward) {
  __shared__ Space<T, most> space;
  while (true) {
    __syncthreads();
    if (threadIdx.x == 0) space.task = atomicAdd(sweep.next, 1);
    __syncthreads();
    if (space.task >= count) return;
    const SweepTask task = tasks[space.task];
    const SweepFront<T> front(sweep, task.front);
    if (forward) {
      wait_until(sweep.arrived + task.front, sweep.signals[task.front]);
      for (int tile = task.begin; tile < task.end; ++tile) {
        forward_tile(sweep, front, tile, space);
        __syncthreads();
      }
      const bool hands_up = front.place.parent >= 0 && task.end > front.place.blocks();
      if (hands_up) raise(sweep.arrived + front.place.parent);
    } else {
      for (int block = task.end - 1; block >= task.begin; --block) {
        backward_block(sweep, front, block, space);
        __syncthreads();
      }
    }
  }
}

template <typename T, int most>
void launch(const Sweep<T>& sweep, const SweepTask* tasks, Index count, bool forward,
            cudaStream_t stream) {
  int device = 0, processors = 0, resident = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  CUDA_CHECK(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, sweep_kernel<T, most>, threads, 0));
  const auto blocks = static_cast<unsigned>(std::min<Index>(count, Index{processors} * resident));
  sweep_kernel<T, most>
      <<<blocks, threads, 0, stream>>>(sweep, tasks, static_cast<int>(count), forward);
  check_launch("sweep");
}

template <typename T>
void run(const Sweep<T>& sweep, const SweepTask* tasks, Index count, bool forward,
         cudaStream_t stream) {
  if (count == 0) return;
  if (sweep.columns == 1) return launch<T, 1>(sweep, tasks, count, forward, stream);
  if (sweep.columns <= 4) return launch<T, 4>(sweep, tasks, count, forward, stream);
  launch<T, most_sweep_columns>(sweep, tasks, count, forward, stream);
}

}  // namespace

template <typename T>
void sweep_forward(const Sweep<T>& sweep, const SweepTask* tasks, Index count,
                   cudaStream_t stream) {
  run(sweep, tasks, count, true, stream);
}

template <typename T>
void sweep_backward(const Sweep<T>& sweep, const SweepTask* tasks, Index count,
                    cudaStream_t stream) {
  run(sweep, tasks, count, false, stream);
}

template void sweep_forward(const Sweep<float>&, const SweepTask*, Index, cudaStream_t);
template void sweep_forward(const Sweep<double>&, const SweepTask*, Index, cudaStream_t);
template void sweep_backward(const Sweep<float>&, const SweepTask*, Index, cudaStream_t);
template void sweep_backward(const Sweep<double>&, const SweepTask*, Index, cudaStream_t);
}  // namespace spsolve::cuda
