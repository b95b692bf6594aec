#include <cmath>
#include <type_traits>

#include "cuda/core/launch.cuh"
#include "cuda/core/sum_of_lanes.cuh"
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

/// values[k] = *places[k], once other blocks have written them.
template <int count, typename T>
__device__ void wait_for_values(const T* const (&places)[count], T (&values)[count]) {
#pragma unroll
  for (int k = 0; k < count; ++k) values[k] = *static_cast<const volatile T*>(places[k]);
#pragma unroll
  for (int k = 0; k < count; ++k) {
    while (bits_of(values[k]) == unknown<T>) values[k] = *static_cast<const volatile T*>(places[k]);
  }
}

/// This warp's 8 rows of the tile at (row, column): lane l has columns l and l + 32.
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

/// A lane's share of the tiles before a block's turn, of T x: sums over the tile's columns, which
/// are over lanes at the end.
template <int count, typename T>
struct RowSums {
  T sums[warp_rows * count] = {};

  __device__ void add(const T (&tile)[warp_rows][2], const T* x, Index column, Index n) {
    const int lane = threadIdx.x % warp_size;
    const T* places[2 * count];
    T values[2 * count];
#pragma unroll
    for (int k = 0; k < 2 * count; ++k) {
      // What is behind the last row is in no tile: any value that is known does.
      const Index j = min(column + lane + k / count * warp_size, n - 1);
      places[k] = x + j * count + k % count;
    }
    wait_for_values(places, values);
#pragma unroll
    for (int r = 0; r < warp_rows; ++r) {
#pragma unroll
      for (int k = 0; k < 2 * count; ++k) {
        sums[r * count + k % count] += tile[r][k / count] * values[k];
      }
    }
  }
};

/// The same of T^T x: sums over the tile's rows, which are over warps at the end.
template <int count, typename T>
struct ColumnSums {
  T sums[2 * count] = {};

  __device__ void add(const T (&tile)[warp_rows][2], const T* x, Index row, Index n) {
    const int lane = threadIdx.x % warp_size;
    // A value of x to a lane, which hands it to the others.
    static_assert(warp_rows * count <= warp_size);
    const int mine = lane % (warp_rows * count);
    const T* const place[1] = {x + min(row + mine / count, n - 1) * count + mine % count};
    T value[1];
    wait_for_values(place, value);
#pragma unroll
    for (int r = 0; r < warp_rows; ++r) {
#pragma unroll
      for (int c = 0; c < count; ++c) {
        const T of_row = __shfl_sync(whole_warp, value[0], r * count + c);
        sums[c] += tile[r][0] * of_row;
        sums[count + c] += tile[r][1] * of_row;
      }
    }
  }
};

/// Which way a sweep goes, and what its diagonal is.
template <Triangle triangle, bool transposed>
struct Sweep {
  static constexpr bool unit = triangle == Triangle::unit_lower;
  static constexpr bool backward = (triangle == Triangle::upper) != transposed;
};

/// Blocks of rows of T, or of T^T, one after another, each as soon as those before it are solved;
/// while it waits, a block inverts its triangle, so that its own turn is a product. Backward
/// everything runs from the last row to the first: place i of a block is row 63 - i of it.
/// x, n x count, holds `unknown` everywhere at first: a value is its own flag.
template <typename T, Triangle triangle, bool transposed, int count>
__global__ void __launch_bounds__(threads)
    solve(Index n, const T* a, Index stride, const T* b, Index b_stride, T* x, int* ticket) {
  using Way = Sweep<triangle, transposed>;
  __shared__ T diagonal[block_rows][block_rows + 1];
  __shared__ T known[block_rows][count];
  __shared__ T scale[block_rows];
  __shared__ T partial[transposed ? warps / 2 : 1][transposed ? block_rows : 1][count];
  __shared__ int turn;
  const int blocks = gridDim.x;
  const int thread = threadIdx.x;
  const int lane = thread % warp_size;
  const int warp = thread / warp_size;
  if (thread == 0) turn = atomicAdd(ticket, 1);
  __syncthreads();
  const int steps = turn;  // blocks that must be done before this one
  const Index first = static_cast<Index>(Way::backward ? blocks - 1 - turn : turn) * block_rows;

  const auto place_of = [](int i) { return Way::backward ? block_rows - 1 - i : i; };
  const auto first_of = [&](int step) {
    return static_cast<Index>(Way::backward ? blocks - 1 - step : step) * block_rows;
  };
  const auto load = [&](int step, T(&tile)[warp_rows][2]) {
    const Index row = (transposed ? first_of(step) : first) + warp * warp_rows;
    load_tile(a, stride, n, row, transposed ? first : first_of(step), tile);
  };
  T tile[warp_rows][2];
  if (steps > 0) load(0, tile);
  // The right-hand side of element `mine` of the block, and where it stands there.
  constexpr int of_warp = warp_rows * count;
  const int mine = transposed ? thread : warp * of_warp + sum_of_this_lane<of_warp>();
  const bool is_first_lane = transposed || has_own_sum<of_warp>();
  const bool has_one = is_first_lane && mine < block_rows * count && first + mine / count < n;
  const T right = has_one ? b[(first + mine / count) * b_stride + mine % count] : T{};
  if (thread < block_rows) {
    const Index i = first + place_of(thread);
    scale[thread] = !Way::unit && i < n ? T{1} / a[i * stride + i] : T{1};
  }
  __syncthreads();
#pragma unroll
  for (int base = 0; base < block_rows * block_rows; base += threads) {
    const int i = (base + thread) / block_rows, j = (base + thread) % block_rows;
    const int p = place_of(transposed ? j : i), q = place_of(transposed ? i : j);
    const bool inside = q < p && first + i < n && first + j < n;
    diagonal[p][q] = inside ? a[(first + i) * stride + first + j] * scale[p] : T{};
  }
  __syncthreads();
  invert_unit_lower(diagonal);
  std::conditional_t<transposed, ColumnSums<count, T>, RowSums<count, T>> parts;
  for (int step = 0; step < steps; ++step) {
    T next[warp_rows][2];
    if (step + 1 < steps) load(step + 1, next);
    parts.add(tile, x, first_of(step) + (transposed ? warp * warp_rows : 0), n);
#pragma unroll
    for (int r = 0; r < warp_rows; ++r) {
      tile[r][0] = next[r][0];
      tile[r][1] = next[r][1];
    }
  }
  T sum{};
  if constexpr (transposed) {
    constexpr int half = warps / 2;
    const auto each = [&](const auto& work) {
#pragma unroll
      for (int k = 0; k < 2 * count; ++k) {
        work(partial[warp % half][lane + k / count * warp_size][k % count], parts.sums[k]);
      }
    };
    if (warp >= half) each([](T& to, T own) { to = own; });
    __syncthreads();
    if (warp < half) each([](T& to, T own) { to += own; });
    __syncthreads();
    if (has_one) {
#pragma unroll
      for (int w = 0; w < half; ++w) sum += partial[w][mine / count][mine % count];
    }
  } else {
    sum = sum_of_lanes(parts.sums);
  }
  if (is_first_lane && mine < block_rows * count) {
    const int p = place_of(mine / count);
    known[p][mine % count] = (right - sum) * scale[p];
  }
  __syncthreads();
  // Four lanes a row of the product.
  constexpr int lanes = threads / block_rows;
  T values[count] = {};
#pragma unroll
  for (int k = thread % lanes; k < block_rows; k += lanes) {
    const T of_row = diagonal[thread / lanes][k];
#pragma unroll
    for (int c = 0; c < count; ++c) values[c] += of_row * known[k][c];
  }
  const Index row = first + place_of(thread / lanes);
#pragma unroll
  for (int c = 0; c < count; ++c) {
    const T value = sum_of_group<lanes>(values[c]);
    if (thread % lanes == 0 && row < n) {
      const T solved = bits_of(value) == unknown<T> ? T(NAN) : value;
      *const_cast<volatile T*>(x + row * count + c) = solved;
    }
  }
}

}  // namespace

template <typename T>
void solve_triangle(Triangle triangle, bool transposed, const TriangleView<T>& a, const T* b,
                    Index b_stride, T* x, int columns, int* ticket, cudaStream_t stream) {
  if (a.order == 0) return;
  CUDA_CHECK(
      cudaMemsetAsync(x, 0xff, static_cast<std::size_t>(a.order * columns) * sizeof(T), stream));
  CUDA_CHECK(cudaMemsetAsync(ticket, 0, sizeof(int), stream));
  const unsigned blocks = grid_for(a.order, block_rows);
  const auto launch = [&]<Triangle which, bool of_transpose, int count>() {
    solve<T, which, of_transpose, count>
        <<<blocks, threads, 0, stream>>>(a.order, a.at, a.stride, b, b_stride, x, ticket);
  };
  const auto with_columns = [&]<Triangle which, bool of_transpose>() {
    static_assert(most_columns_of_triangle == 4);
    if (columns == 1) {
      launch.template operator()<which, of_transpose, 1>();
    } else if (columns == 2) {
      launch.template operator()<which, of_transpose, 2>();
    } else {
      launch.template operator()<which, of_transpose, 4>();
    }
  };
  if (triangle == Triangle::upper) {
    transposed ? with_columns.template operator()<Triangle::upper, true>()
               : with_columns.template operator()<Triangle::upper, false>();
  } else {
    transposed ? with_columns.template operator()<Triangle::unit_lower, true>()
               : with_columns.template operator()<Triangle::unit_lower, false>();
  }
  check_launch("solve_triangle");
}

template void solve_triangle(Triangle, bool, const TriangleView<float>&, const float*, Index,
                             float*, int, int*, cudaStream_t);
template void solve_triangle(Triangle, bool, const TriangleView<double>&, const double*, Index,
                             double*, int, int*, cudaStream_t);

}  // namespace spsolve::cuda
