#include <cmath>
#include <type_traits>

#include "cuda/core/launch.cuh"
#include "cuda/core/packed.cuh"
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

template <typename T>
__device__ T seen_at(const T* place) {
  return *static_cast<const volatile T*>(place);
}

/// `value`, or *place where that is unknown, once another block has written it. All lanes of the
/// warp must call it, and go on together: a barrier of the block counts a warp as soon as some of
/// its lanes are there.
template <typename T>
__device__ T wait_for_value(const T* place, T value) {
  while (bits_of(value) == unknown<T>) value = seen_at(place);
  __syncwarp();
  return value;
}

/// Where `value` is unknown to a lane, waits until its *place has been written, which takes
/// `distance` turns of other blocks or so: one of these lanes looks now and then. Hundreds of
/// blocks that look at the same few values all the time keep those from being written and read by
/// the block whose turn it is.
template <typename T>
__device__ void wait_from_afar(const T* place, T value, int distance) {
  constexpr int near = 2, most_nanoseconds = 2000, nanoseconds_of_turn = 200;
  if (distance <= near) return;
  const unsigned waiting = __ballot_sync(whole_warp, bits_of(value) == unknown<T>);
  if (waiting == 0) return;
  if (static_cast<int>(threadIdx.x % warp_size) == __ffs(static_cast<int>(waiting)) - 1) {
    const int pause = min((distance - near) * nanoseconds_of_turn, most_nanoseconds);
    while (bits_of(seen_at(place)) == unknown<T>) __nanosleep(static_cast<unsigned>(pause));
  }
  __syncwarp();
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
/// are over lanes at the end. Each thread brings one value of x, which all others get from shared
/// memory.
template <int count, typename T>
struct RowSums {
  T sums[warp_rows * count] = {};

  /// Where the thread's value is for a tile of columns from `column` on. What is behind the last
  /// row is in no tile: any value that is known does.
  static __device__ const T* find(const T* x, Index column, Index n) {
    const Index place = column * count + static_cast<int>(threadIdx.x) % (block_rows * count);
    return x + min(place, n * count - 1);
  }

  /// `room`: block_rows x count values. All threads of the block must call it, with another room
  /// than the last time.
  __device__ void add(const T (&tile)[warp_rows][2], T value, T* room) {
    const int lane = threadIdx.x % warp_size;
    if (threadIdx.x < block_rows * count) room[threadIdx.x] = value;
    __syncthreads();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      Packed<T, count> values;
      values = *reinterpret_cast<const Packed<T, count>*>(room + (lane + half * warp_size) * count);
#pragma unroll
      for (int r = 0; r < warp_rows; ++r) {
#pragma unroll
        for (int c = 0; c < count; ++c) {
          sums[r * count + c] += tile[r][half] * values.elements[c];
        }
      }
    }
  }
};

/// The same of T^T x: sums over the tile's rows, which are over warps at the end. A lane's value is
/// of its warp's rows, and goes to the other lanes.
template <int count, typename T>
struct ColumnSums {
  T sums[2 * count] = {};

  static __device__ const T* find(const T* x, Index first, Index n) {
    static_assert(warp_rows * count <= warp_size);
    const int mine = static_cast<int>(threadIdx.x) % (warp_rows * count);
    const Index row = first + static_cast<int>(threadIdx.x) / warp_size * warp_rows;
    return x + min(row + mine / count, n - 1) * count + mine % count;
  }

  __device__ void add(const T (&tile)[warp_rows][2], T value, T*) {
#pragma unroll
    for (int r = 0; r < warp_rows; ++r) {
#pragma unroll
      for (int c = 0; c < count; ++c) {
        const T of_row = __shfl_sync(whole_warp, value, r * count + c);
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

/// What a thread block works with in shared memory; a place p of the block is its row p, or 63 - p
/// where the sweep goes backward.
template <typename T>
struct BlockRoom {
  T inverse[block_rows][block_rows + 1];  ///< of the block's own triangle, scaled, by places
  T before[block_rows][block_rows + 1];   ///< the tile of the block before, then inverse x tile
  T partial[warps / 2][block_rows][most_columns_of_triangle];
  T known[block_rows][most_columns_of_triangle];   ///< what the own triangle is solved for
  T solved[block_rows][most_columns_of_triangle];  ///< without the block before
  alignas(16) T x[2][block_rows * most_columns_of_triangle];  ///< of one block, and of the next
  T scale[block_rows];
  int turn;
};

/// before <- inverse x before. A warp has 8 places, a lane the columns l and l + 32 of them.
template <typename T>
__device__ void multiply_by_inverse(BlockRoom<T>& room) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int top = static_cast<int>(threadIdx.x) / warp_size * warp_rows;
  T product[warp_rows][2] = {};
#pragma unroll 4
  for (int k = 0; k < top + warp_rows; ++k) {
    const T left = room.before[k][lane], right = room.before[k][lane + warp_size];
#pragma unroll
    for (int r = 0; r < warp_rows; ++r) {
      const T factor = room.inverse[top + r][k];  // zero above the diagonal
      product[r][0] += factor * left;
      product[r][1] += factor * right;
    }
  }
  __syncthreads();
#pragma unroll
  for (int r = 0; r < warp_rows; ++r) {
    room.before[top + r][lane] = product[r][0];
    room.before[top + r][lane + warp_size] = product[r][1];
  }
}

/// Thread blocks on a multiprocessor: two where their registers allow it.
template <typename T, int count>
constexpr int blocks_on_processor = sizeof(T) * count <= sizeof(double) || sizeof(T) == 4 ? 2 : 1;

/// Tiles that are on their way while one is worked with: two, where registers allow it, to keep the
/// memory at work.
template <typename T, int count>
constexpr int tiles_ahead = sizeof(T) == 8 && blocks_on_processor<T, count> == 2 ? 1 : 2;

/// Blocks of rows of T, or of T^T, one after another, each as soon as those before it are solved.
/// While it waits, a block inverts its triangle D and multiplies the tile B of the block right
/// before it by that: x = D^-1 (b - what earlier blocks give) - (D^-1 B) x_before, so that one
/// product with what the warps hold in registers lies between that block's x and its own. Backward
/// everything runs from the last row to the first.
/// x, n x count, holds `unknown` everywhere at first: a value is its own flag.
template <typename T, Triangle triangle, bool transposed, int count>
__global__ void __launch_bounds__(threads, (blocks_on_processor<T, count>))
    solve(Index n, const T* a, Index stride, const T* b, Index b_stride, T* x, int* ticket) {
  using Way = Sweep<triangle, transposed>;
  extern __shared__ double memory[];
  auto& room = *reinterpret_cast<BlockRoom<T>*>(memory);
  const int blocks = gridDim.x;
  const int thread = threadIdx.x;
  const int lane = thread % warp_size;
  const int warp = thread / warp_size;
  if (thread == 0) room.turn = atomicAdd(ticket, 1);
  __syncthreads();
  const int steps = room.turn;  // blocks that must be done before this one
  const int last = steps - 1;   // the block right before
  const auto first_of = [&](int step) {
    return static_cast<Index>(Way::backward ? blocks - 1 - step : step) * block_rows;
  };
  const Index first = first_of(steps);
  const auto place_of = [](int i) { return Way::backward ? block_rows - 1 - i : i; };
  const auto load = [&](int step, T(&tile)[warp_rows][2]) {
    const Index row = (transposed ? first_of(step) : first) + warp * warp_rows;
    load_tile(a, stride, n, row, transposed ? first : first_of(step), tile);
  };
  constexpr int ahead = tiles_ahead<T, count>;
  T tiles[ahead + 1][warp_rows][2];
#pragma unroll
  for (int k = 0; k < ahead; ++k) {
    if (k < last) load(k, tiles[k]);
  }
  if (thread < block_rows) {
    const Index i = first + place_of(thread);
    room.scale[thread] = !Way::unit && i < n ? T{1} / a[i * stride + i] : T{1};
  }
  __syncthreads();
#pragma unroll 4
  for (int base = 0; base < block_rows * block_rows; base += threads) {
    const int i = (base + thread) / block_rows, j = (base + thread) % block_rows;
    const int p = place_of(transposed ? j : i), q = place_of(transposed ? i : j);
    const bool inside = q < p && first + i < n && first + j < n;
    room.inverse[p][q] = inside ? a[(first + i) * stride + first + j] * room.scale[p] : T{};
    if (steps == 0) continue;
    const int own = place_of(transposed ? j : i);
    const Index row = (transposed ? first_of(last) : first) + i;
    const Index column = (transposed ? first : first_of(last)) + j;
    room.before[own][transposed ? i : j] =
        row < n && column < n ? a[row * stride + column] * room.scale[own] : T{};
  }
  __syncthreads();
  invert_unit_lower(room.inverse);
  if (steps > 0) multiply_by_inverse(room);

  // The right-hand side of element `mine` of the block, and where it stands there.
  constexpr int of_warp = warp_rows * count;
  const int in_warp = warp * of_warp + sum_of_this_lane<of_warp>();
  const int mine = transposed ? thread : in_warp;
  const bool has_one = (transposed || has_own_sum<of_warp>()) && mine < block_rows * count;
  const Index right_row = first + mine / count;
  const T right = has_one && right_row < n ? b[right_row * b_stride + mine % count] : T{};
  using Parts = std::conditional_t<transposed, ColumnSums<count, T>, RowSums<count, T>>;
  Parts parts;
  const T* place = x;
  T value{};
  if (last > 0) value = seen_at(place = Parts::find(x, first_of(0), n));
  for (int step = 0; step < last; ++step) {
    T next_value{};
    const T* next_place = x;
    if (step + ahead < last) load(step + ahead, tiles[ahead]);
    if (step + 1 < last) {
      next_value = seen_at(next_place = Parts::find(x, first_of(step + 1), n));
    }
    wait_from_afar(place, value, steps - step);
    parts.add(tiles[0], wait_for_value(place, value), room.x[step % 2]);
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
#pragma unroll
      for (int r = 0; r < warp_rows; ++r) {
        tiles[k][r][0] = tiles[k + 1][r][0];
        tiles[k][r][1] = tiles[k + 1][r][1];
      }
    }
    place = next_place;
    value = next_value;
  }
  T sum{};
  if constexpr (transposed) {
    constexpr int half = warps / 2;
    const auto each = [&](const auto& work) {
#pragma unroll
      for (int k = 0; k < 2 * count; ++k) {
        work(room.partial[warp % half][lane + k / count * warp_size][k % count], parts.sums[k]);
      }
    };
    if (warp >= half) each([](T& to, T own) { to = own; });
    __syncthreads();
    if (warp < half) each([](T& to, T own) { to += own; });
    __syncthreads();
    if (has_one) {
#pragma unroll
      for (int w = 0; w < half; ++w) sum += room.partial[w][mine / count][mine % count];
    }
  } else {
    sum = sum_of_lanes(parts.sums);
  }
  if (has_one) {
    const int p = place_of(mine / count);
    room.known[p][mine % count] = (right - sum) * room.scale[p];
  }
  __syncthreads();
  // Four lanes a place of the product, which are of the warp that has the place in the end.
  constexpr int lanes = threads / block_rows;
  T product[count] = {};
#pragma unroll
  for (int k = thread % lanes; k < block_rows; k += lanes) {
    const T factor = room.inverse[thread / lanes][k];
#pragma unroll
    for (int c = 0; c < count; ++c) product[c] += factor * room.known[k][c];
  }
#pragma unroll
  for (int c = 0; c < count; ++c) {
    const T sum_of_place = sum_of_group<lanes>(product[c]);
    if (thread % lanes == 0) room.solved[thread / lanes][c] = sum_of_place;
  }
  __syncwarp();
  T solved{};
  if (has_own_sum<of_warp>()) solved = room.solved[in_warp / count][in_warp % count];
  if (steps > 0) {
    RowSums<count, T> of_last;
#pragma unroll
    for (int r = 0; r < warp_rows; ++r) {
      tiles[0][r][0] = room.before[warp * warp_rows + r][lane];
      tiles[0][r][1] = room.before[warp * warp_rows + r][lane + warp_size];
    }
    const T* const before = of_last.find(x, first_of(last), n);
    of_last.add(tiles[0], wait_for_value(before, seen_at(before)), room.x[last % 2]);
    solved -= sum_of_lanes(of_last.sums);
  }
  const Index row = first + place_of(in_warp / count);
  if (has_own_sum<of_warp>() && row < n) {
    if (bits_of(solved) == unknown<T>) solved = T(NAN);
    *const_cast<volatile T*>(x + row * count + in_warp % count) = solved;
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
    constexpr int bytes = sizeof(BlockRoom<T>);
    const auto kernel = solve<T, which, of_transpose, count>;
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    kernel<<<blocks, threads, bytes, stream>>>(a.order, a.at, a.stride, b, b_stride, x, ticket);
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
