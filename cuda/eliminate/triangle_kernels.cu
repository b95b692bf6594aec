#include "cuda/eliminate/triangle_kernels.hpp"
#include "cuda/multiply/launch.cuh"

namespace spsolve::cuda {

namespace {

constexpr int block_rows = 64;
constexpr int threads = 256;
constexpr int warps = threads / warp_size;
constexpr int warp_rows = block_rows / warps;

__device__ int load_flag(const int* flag) {
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

__device__ void store_flag(int* flag, int value) {
  asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

/// This warp's rows of the tile whose first column is `column`: lane l has columns l and l + 32.
template <typename T>
__device__ void load_tile(const T* a, Index stride, Index n, Index row, Index column,
                          T (&tile)[warp_rows][2]) {
  const int lane = threadIdx.x % warp_size;
#pragma unroll
  for (int r = 0; r < warp_rows; ++r) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const Index j = column + lane + half * warp_size;
      tile[r][half] = row + r < n && j < n ? a[(row + r) * stride + j] : T{};
    }
  }
}

/// flags: one a block, then the ticket, then the number of blocks that are done.
template <typename T, bool upper>
__global__ void __launch_bounds__(threads)
    solve(Index n, const T* a, Index stride, T* x, int* flags) {
  __shared__ T diagonal[block_rows][block_rows + 1];
  __shared__ T known[block_rows];
  __shared__ int turn;
  const int blocks = gridDim.x;
  const int thread = threadIdx.x;
  const int lane = thread % warp_size;
  const int warp = thread / warp_size;
  if (thread == 0) turn = atomicAdd(flags + blocks, 1);
  __syncthreads();
  const int steps = turn;  // blocks that must be done before this one
  const int block = upper ? blocks - 1 - turn : turn;
  const Index first = static_cast<Index>(block) * block_rows;
  const Index row = first + warp * warp_rows;

  const auto column_of = [&](int step) {
    return static_cast<Index>(upper ? blocks - 1 - step : step) * block_rows;
  };
  T tile[warp_rows][2], sums[warp_rows] = {};
  if (steps > 0) load_tile(a, stride, n, row, column_of(0), tile);
  for (int k = thread; k < block_rows * block_rows; k += threads) {
    const int i = k / block_rows, j = k % block_rows;
    diagonal[i][j] = first + i < n && first + j < n ? a[(first + i) * stride + first + j] : T{};
  }
  for (int step = 0; step < steps; ++step) {
    T next[warp_rows][2];
    if (step + 1 < steps) load_tile(a, stride, n, row, column_of(step + 1), next);
    const Index column = column_of(step);
    // Whoever waits reads the flag by itself: no barrier of the block in this loop.
    if (lane == 0) {
      while (load_flag(flags + column / block_rows) == 0) {
      }
    }
    __syncwarp();
    T values[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const Index j = column + lane + half * warp_size;
      values[half] = j < n ? __ldcg(x + j) : T{};
    }
#pragma unroll
    for (int r = 0; r < warp_rows; ++r) {
      sums[r] += tile[r][0] * values[0];
      sums[r] += tile[r][1] * values[1];
      tile[r][0] = next[r][0];
      tile[r][1] = next[r][1];
    }
  }
#pragma unroll
  for (int r = 0; r < warp_rows; ++r) {
    const T sum = sum_of_group<warp_size>(sums[r]);
    if (lane == 0) {
      known[warp * warp_rows + r] = row + r < n ? x[row + r] - sum : T{};
    }
  }
  __syncthreads();
  if (warp == 0) {
    // Lane l has the unknowns l and l + 32.
    T mine[2] = {known[lane], known[lane + warp_size]};
    T inverse[2] = {T{1}, T{1}};
    if (upper) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int i = lane + half * warp_size;
        inverse[half] = first + i < n ? T{1} / diagonal[i][i] : T{1};
      }
    }
#pragma unroll
    for (int step = 0; step < block_rows; ++step) {
      const int k = upper ? block_rows - 1 - step : step;
      if (upper && lane == k % warp_size) mine[k / warp_size] *= inverse[k / warp_size];
      const T value = __shfl_sync(whole_warp, mine[k / warp_size], k % warp_size);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int i = lane + half * warp_size;
        if (upper ? i < k : i > k) mine[half] -= diagonal[i][k] * value;
      }
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const Index i = first + lane + half * warp_size;
      if (i < n) __stcg(x + i, mine[half]);
    }
    __threadfence();
    __syncwarp();
    if (lane == 0) {
      store_flag(flags + block, 1);
      // The last block to end leaves everything as it was: all others have read their flags.
      if (atomicAdd(flags + blocks + 1, 1) == blocks - 1) {
        for (int b = 0; b < blocks + 2; ++b) flags[b] = 0;
      }
    }
  }
}

}  // namespace

Index triangle_flags(Index n) {
  return (n + block_rows - 1) / block_rows + 2;
}

template <typename T>
void solve_triangle(Triangle triangle, Index n, const T* a, Index stride, T* x, int* flags,
                    cudaStream_t stream) {
  if (n == 0) return;
  const unsigned blocks = grid_for(n, block_rows);
  if (triangle == Triangle::upper) {
    solve<T, true><<<blocks, threads, 0, stream>>>(n, a, stride, x, flags);
  } else {
    solve<T, false><<<blocks, threads, 0, stream>>>(n, a, stride, x, flags);
  }
  check_launch("solve_triangle");
}

template void solve_triangle(Triangle, Index, const float*, Index, float*, int*, cudaStream_t);
template void solve_triangle(Triangle, Index, const double*, Index, double*, int*, cudaStream_t);

}  // namespace spsolve::cuda
