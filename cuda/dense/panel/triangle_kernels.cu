#include <cmath>
#include <type_traits>

#include "cuda/core/launch.cuh"
#include "cuda/dense/panel/triangle_kernels.hpp"

namespace spsolve::cuda {

namespace {

constexpr int block_rows = 64;
constexpr int threads = 256;
constexpr int warps = threads / warp_size;
constexpr int warp_rows = block_rows / warps;

/// A nan that no arithmetic yields: what stands in x where nothing has been solved yet.
template <typename T>
using Bits = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;
template <typename T>
constexpr Bits<T> unknown = ~Bits<T>{0};

template <typename T>
__device__ Bits<T> bits_of(T value) {
  if constexpr (sizeof(T) == 8) {
    return static_cast<Bits<T>>(__double_as_longlong(value));
  } else {
    return __float_as_uint(value);
  }
}

/// *place, once another block has written it.
template <typename T>
__device__ T wait_for_value(const T* place) {
  const volatile T* const there = place;
  T value = *there;
  while (bits_of(value) == unknown<T>) value = *there;
  return value;
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

/// A block's unit lower triangle, below the diagonal, becomes its inverse, diagonal included. Four
/// lanes a column, lane q of them with the rows i = q mod 4: column c of the inverse solves L x =
/// e_c. `l` is zero on and above the diagonal.
template <typename T>
__device__ void invert_unit_lower(T (&l)[block_rows][block_rows + 1]) {
  constexpr int lanes = threads / block_rows;
  constexpr int own = block_rows / lanes;
  const int q = threadIdx.x % lanes;
  const int c = threadIdx.x / lanes;
  T x[own];
#pragma unroll
  for (int r = 0; r < own; ++r) x[r] = r * lanes + q == c ? T{1} : T{};
#pragma unroll
  for (int k = 0; k < block_rows; ++k) {
    const T known = __shfl_sync(whole_warp, x[k / lanes], k % lanes, lanes);
#pragma unroll
    for (int r = k / lanes; r < own; ++r) {
      const int i = r * lanes + q;
      x[r] -= l[i][k] * known;
    }
  }
  __syncthreads();
#pragma unroll
  for (int r = 0; r < own; ++r) l[r * lanes + q][c] = x[r];
  __syncthreads();
}

/// Blocks of rows one after another, each as soon as those before it are solved; while it waits, a
/// block inverts its triangle, so that its own turn is a product. For the upper triangle everything
/// runs from the last row to the first: place i of a block is row 63 - i of it.
/// x holds `unknown` everywhere at first: a value is its own flag.
template <typename T, bool upper>
__global__ void __launch_bounds__(threads)
    solve(Index n, const T* a, Index stride, const T* b, T* x, int* ticket) {
  __shared__ T diagonal[block_rows][block_rows + 1];
  __shared__ T known[block_rows];
  __shared__ T scale[block_rows];
  __shared__ int turn;
  const int blocks = gridDim.x;
  const int thread = threadIdx.x;
  const int lane = thread % warp_size;
  const int warp = thread / warp_size;
  if (thread == 0) turn = atomicAdd(ticket, 1);
  __syncthreads();
  const int steps = turn;  // blocks that must be done before this one
  const int block = upper ? blocks - 1 - turn : turn;
  const Index first = static_cast<Index>(block) * block_rows;
  const Index row = first + warp * warp_rows;

  const auto place_of = [](int i) { return upper ? block_rows - 1 - i : i; };
  const auto column_of = [&](int step) {
    return static_cast<Index>(upper ? blocks - 1 - step : step) * block_rows;
  };
  T tile[warp_rows][2], sums[warp_rows] = {};
  if (steps > 0) load_tile(a, stride, n, row, column_of(0), tile);
  if (thread < block_rows) {
    const Index i = first + place_of(thread);
    scale[thread] = upper && i < n ? T{1} / a[i * stride + i] : T{1};
  }
  __syncthreads();
#pragma unroll
  for (int base = 0; base < block_rows * block_rows; base += threads) {
    const int i = (base + thread) / block_rows, j = (base + thread) % block_rows;
    const int p = place_of(i), q = place_of(j);
    const bool inside = q < p && first + i < n && first + j < n;
    diagonal[p][q] = inside ? a[(first + i) * stride + first + j] * scale[p] : T{};
  }
  __syncthreads();
  invert_unit_lower(diagonal);
  for (int step = 0; step < steps; ++step) {
    T next[warp_rows][2];
    if (step + 1 < steps) load_tile(a, stride, n, row, column_of(step + 1), next);
    const Index column = column_of(step);
    T values[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const Index j = column + lane + half * warp_size;
      values[half] = j < n ? wait_for_value(x + j) : T{};
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
    const int p = place_of(warp * warp_rows + r);
    if (lane == 0) known[p] = row + r < n ? (b[row + r] - sum) * scale[p] : T{};
  }
  __syncthreads();
  // Four lanes a row of the product.
  constexpr int lanes = threads / block_rows;
  T value{};
#pragma unroll
  for (int k = thread % lanes; k < block_rows; k += lanes) {
    value += diagonal[thread / lanes][k] * known[k];
  }
  value = sum_of_group<lanes>(value);
  const Index mine = first + place_of(thread / lanes);
  if (thread % lanes == 0 && mine < n) {
    const T solved = bits_of(value) == unknown<T> ? T(NAN) : value;
    *const_cast<volatile T*>(x + mine) = solved;
  }
}

}  // namespace

template <typename T>
void solve_triangle(Triangle triangle, Index n, const T* a, Index stride, const T* b, T* x,
                    int* ticket, cudaStream_t stream) {
  if (n == 0) return;
  CUDA_CHECK(cudaMemsetAsync(x, 0xff, static_cast<std::size_t>(n) * sizeof(T), stream));
  CUDA_CHECK(cudaMemsetAsync(ticket, 0, sizeof(int), stream));
  const unsigned blocks = grid_for(n, block_rows);
  if (triangle == Triangle::upper) {
    solve<T, true><<<blocks, threads, 0, stream>>>(n, a, stride, b, x, ticket);
  } else {
    solve<T, false><<<blocks, threads, 0, stream>>>(n, a, stride, b, x, ticket);
  }
  check_launch("solve_triangle");
}

template void solve_triangle(Triangle, Index, const float*, Index, const float*, float*, int*,
                             cudaStream_t);
template void solve_triangle(Triangle, Index, const double*, Index, const double*, double*, int*,
                             cudaStream_t);

}  // namespace spsolve::cuda
