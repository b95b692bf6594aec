#pragma once

// The parts of solves with triangles in blocks of 64 rows: values of x that stand for themselves as
// flags, tiles, and the sums over them.

#include <type_traits>

#include "cuda/core/launch.cuh"
#include "cuda/core/packed.cuh"
#include "cuda/core/sum_of_lanes.cuh"

namespace spsolve::cuda::inline dense::triangle_tiles {

inline constexpr int block_rows = 64;
inline constexpr int threads = 256;
inline constexpr int warps = threads / warp_size;
inline constexpr int warp_rows = block_rows / warps;

/// A nan that no arithmetic yields: what stands in x where nothing has been solved yet.
template <typename T>
using Bits = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;
template <typename T>
inline constexpr Bits<T> unknown = ~Bits<T>{0};

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
/// are over lanes at the end. As many threads as there are values of x bring one each, which all
/// others get from shared memory.
template <int count, typename T>
struct RowSums {
  T sums[warp_rows * count] = {};

  /// Where the thread's value is for a tile of columns from `column` on. Rows after the last one
  /// are in no tile: any value that is known does.
  static __device__ const T* find(const T* x, Index column, Index n) {
    const Index place = column * count + static_cast<int>(threadIdx.x) % (block_rows * count);
    return x + min(place, n * count - 1);
  }
  /// Whether the thread brings a value, and waits for it; the same for all lanes of a warp.
  static __device__ bool brings() { return threadIdx.x < block_rows * count; }

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

/// The part of T^T x of a tile: sums over the tile's rows, which are over warps at the end. A
/// lane's value is of its warp's rows, and goes to the other lanes.
template <int count, typename T>
struct ColumnSums {
  T sums[2 * count] = {};

  static __device__ const T* find(const T* x, Index first, Index n) {
    static_assert(warp_rows * count <= warp_size);
    const int mine = static_cast<int>(threadIdx.x) % (warp_rows * count);
    const Index row = first + static_cast<int>(threadIdx.x) / warp_size * warp_rows;
    return x + min(row + mine / count, n - 1) * count + mine % count;
  }

  static __device__ bool brings() { return true; }
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

}  // namespace spsolve::cuda::dense::triangle_tiles
