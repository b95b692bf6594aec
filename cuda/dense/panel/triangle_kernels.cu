#include <cmath>

#include "cuda/dense/panel/triangle_kernels.hpp"
#include "cuda/dense/panel/triangle_tiles.cuh"

namespace spsolve::cuda::inline dense {

using namespace triangle_tiles;

namespace {

/// Which way a sweep goes, and what its diagonal is.
template <Triangle triangle, bool transposed>
struct Sweep {
  static constexpr bool unit = triangle == Triangle::unit_lower;
  static constexpr bool backward = (triangle == Triangle::upper) != transposed;
};

/// The shared memory that a thread block works with; a place p of the block is its row p, or 63 - p
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
template <typename T, bool transposed, int count>
constexpr int blocks_on_processor = sizeof(T) == 4 || (transposed && count == 1) ? 2 : 1;

/// Tiles that are on their way while one is worked with: two, where registers allow it, to keep the
/// memory at work.
template <typename T, bool transposed, int count>
constexpr int tiles_ahead = sizeof(T) == 8 && blocks_on_processor<T, transposed, count> == 2 ? 1
                                                                                             : 2;

/// Blocks of rows of T, or of T^T, one after another, each as soon as those before it are solved.
/// While it waits, a block inverts its triangle D and multiplies the tile B of the block right
/// before it by that: x = D^-1 (b - what earlier blocks give) - (D^-1 B) x_before, so that one
/// product with what the warps hold in registers lies between that block's x and its own. Backward
/// everything runs from the last row to the first.
/// x, n x count, holds `unknown` everywhere at first: a value is its own flag.
template <typename T, Triangle triangle, bool transposed, int count>
__global__ void __launch_bounds__(threads, (blocks_on_processor<T, transposed, count>))
    solve(Index n, const T* a, Index stride, const T* b, Index b_stride, T* x, int* ticket) {
  using Direction = Sweep<triangle, transposed>;
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
    return static_cast<Index>(Direction::backward ? blocks - 1 - step : step) * block_rows;
  };
  const Index first = first_of(steps);
  const auto place_of = [](int i) { return Direction::backward ? block_rows - 1 - i : i; };
  const auto load = [&](int step, T(&tile)[warp_rows][2]) {
    const Index row = (transposed ? first_of(step) : first) + warp * warp_rows;
    load_tile(a, stride, n, row, transposed ? first : first_of(step), tile);
  };
  constexpr int ahead = tiles_ahead<T, transposed, count>;
  T tiles[ahead + 1][warp_rows][2];
#pragma unroll
  for (int k = 0; k < ahead; ++k) {
    if (k < last) load(k, tiles[k]);
  }
  if (thread < block_rows) {
    const Index i = first + place_of(thread);
    room.scale[thread] = !Direction::unit && i < n ? T{1} / a[i * stride + i] : T{1};
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
  const bool brings = Parts::brings();
  if (last > 0 && brings) value = seen_at(place = Parts::find(x, first_of(0), n));
  for (int step = 0; step < last; ++step) {
    T next_value{};
    const T* next_place = x;
    if (step + ahead < last) load(step + ahead, tiles[ahead]);
    if (step + 1 < last && brings) {
      next_value = seen_at(next_place = Parts::find(x, first_of(step + 1), n));
    }
    if (brings) {
      wait_from_afar(place, value, steps - step);
      value = wait_for_value(place, value);
    }
    parts.add(tiles[0], value, room.x[step % 2]);
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
    T value_before{};
    if (of_last.brings()) value_before = wait_for_value(before, seen_at(before));
    of_last.add(tiles[0], value_before, room.x[last % 2]);
    solved -= sum_of_lanes(of_last.sums);
  }
  const Index row = first + place_of(in_warp / count);
  if (has_own_sum<of_warp>() && row < n) {
    if (bits_of(solved) == unknown<T>) solved = T(NAN);
    *const_cast<volatile T*>(x + row * count + in_warp % count) = solved;
  }
}

/// Calls visit(kernel, bytes of shared memory) for what solves with so many columns.
template <typename T, typename Visit>
void visit_solve(Triangle triangle, bool transposed, int columns, const Visit& visit) {
  const auto of = [&]<Triangle which, bool of_transpose, int count>() {
    constexpr int bytes = sizeof(BlockRoom<T>);
    const auto kernel = solve<T, which, of_transpose, count>;
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    visit(kernel, bytes);
  };
  const auto with_columns = [&]<Triangle which, bool of_transpose>() {
    static_assert(most_columns_of_triangle == 4);
    if (columns == 1) {
      of.template operator()<which, of_transpose, 1>();
    } else if (columns == 2) {
      of.template operator()<which, of_transpose, 2>();
    } else {
      of.template operator()<which, of_transpose, 4>();
    }
  };
  if (triangle == Triangle::upper) {
    transposed ? with_columns.template operator()<Triangle::upper, true>()
               : with_columns.template operator()<Triangle::upper, false>();
  } else {
    transposed ? with_columns.template operator()<Triangle::unit_lower, true>()
               : with_columns.template operator()<Triangle::unit_lower, false>();
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
  visit_solve<T>(triangle, transposed, columns, [&](auto kernel, int bytes) {
    kernel<<<blocks, threads, bytes, stream>>>(a.order, a.at, a.stride, b, b_stride, x, ticket);
  });
  check_launch("solve_triangle");
}

void load_triangle_kernels(Precision precision) {
  for (const Triangle triangle : {Triangle::unit_lower, Triangle::upper}) {
    for (const bool transposed : {false, true}) {
      for (const int columns : {1, 2, 4}) {
        const auto load = [](auto, int) {};
        with_scalar(precision,
                    [&]<typename T>(T) { visit_solve<T>(triangle, transposed, columns, load); });
      }
    }
  }
}

SPSOLVE_INSTANTIATE_FUNCTION(solve_triangle)

}  // namespace spsolve::cuda::dense
