#include "cuda/core/programmatic_launch.cuh"
#include "cuda/dense/panel/leaf_rows.cuh"

namespace spsolve::cuda::inline dense {

namespace {

/// The kernels that move rows and solve with small triangles: blocks of 32 columns, a lane each;
/// warp w has the rows w, w + 8, and so on.
constexpr int column_warps = 8;
constexpr int column_threads = column_warps * warp_size;

/// Threads of the kernels that form multipliers, one row each.
constexpr int multiplier_rows = 64;

/// Shared memory of solve_columns(): L row after row, zeros beyond its rows, and room for the rows
/// that its warps show each other.
template <int order, typename T>
struct ColumnBoard {
  alignas(16) T lower[order][order + 2];
  T rows[2][column_warps][warp_size];
};

/// X <- L^-1 X for the unit lower triangle on the board; x[r] is this lane's column in row
/// 8 r + warp. `keep(row, value)` takes each row of the result. Instructions are fetched more
/// slowly than they are executed when a kernel is this short, hence a loop over eight rows at a
/// time: every warp solves with their triangle for itself, then subtracts them from its own rows.
template <int order, typename T, typename Keep>
__device__ void solve_columns(T (&x)[order / column_warps], ColumnBoard<order, T>& board,
                              Keep&& keep) {
  const int lane = threadIdx.x % warp_size;
  const int warp = threadIdx.x / warp_size;
#pragma unroll 1
  for (int first = 0; first < order; first += column_warps) {
    auto& rows = board.rows[first / column_warps % 2];
    rows[warp][lane] = x[0];
    __syncthreads();
    T z[column_warps];
#pragma unroll
    for (int k = 0; k < column_warps; ++k) z[k] = rows[k][lane];
    T mine = z[0];
#pragma unroll
    for (int k = 0; k < column_warps; ++k) {
#pragma unroll
      for (int i = k + 1; i < column_warps; ++i) z[i] -= board.lower[first + i][first + k] * z[k];
      if (k == warp) mine = z[k];
    }
    keep(first + warp, mine);
#pragma unroll
    for (int r = 1; r < order / column_warps; ++r) {
      const int row = first + r * column_warps + warp;
      if (first + r * column_warps >= order) break;
#pragma unroll
      for (int k = 0; k < column_warps; k += 2) {
        const Pair<T> factors = pair_at(board.lower[row], first + k);
        x[r] -= factors.x * z[k];
        x[r] -= factors.y * z[k + 1];
      }
    }
#pragma unroll
    for (int r = 1; r < order / column_warps; ++r) x[r - 1] = x[r];
  }
}

template <typename T>
__global__ void __launch_bounds__(column_threads)
    move_rows(T* a, Index stride, Index columns, Index column, int width, int next,
              const Leaf<T>* leaf) {
  constexpr int own = leaf_width / column_warps;
  __shared__ int to[2 * leaf_width], from[2 * leaf_width];
  __shared__ ColumnBoard<leaf_width, T> board;
  const int lane = threadIdx.x % warp_size;
  const int warp = threadIdx.x / warp_size;
  wait_for_previous_launch();
  if (threadIdx.x < 2 * leaf_width) {
    to[threadIdx.x] = leaf->moves_to[threadIdx.x];
    from[threadIdx.x] = leaf->moves_from[threadIdx.x];
  }
  __syncthreads();
  const Index j = static_cast<Index>(blockIdx.x) * warp_size + lane;
  const bool inside = j < columns;
  const Index behind = static_cast<Index>(blockIdx.x) * warp_size - column - width;
  const bool solves = behind >= 0 && behind < next;  // a leaf is no less than a block's columns
  T top[own], displaced[own], factors[own];
#pragma unroll
  for (int r = 0; r < own; ++r) {
    const int k = r * column_warps + warp;
    top[r] = inside && k < width ? a[from[k] * stride + j] : T{};
    displaced[r] = inside && to[leaf_width + k] >= 0 ? a[from[leaf_width + k] * stride + j] : T{};
    factors[r] = leaf->factors[k * leaf_width + lane];
  }
  // Every row is read before one is written.
#pragma unroll
  for (int r = 0; r < own; ++r) {
    const int k = r * column_warps + warp;
    board.lower[k][lane] = k < width && lane < k ? factors[r] : T{};
  }
  __syncthreads();
#pragma unroll
  for (int r = 0; r < own; ++r) {
    const int place = to[leaf_width + r * column_warps + warp];
    if (inside && place >= 0) a[place * stride + j] = displaced[r];
  }
  const auto keep = [&](int row, T value) {
    if (inside && row < width) a[row * stride + j] = value;
  };
  if (solves) {
    solve_columns(top, board, keep);
    return;
  }
  const bool is_leaf = j - lane == column && lane < width;
#pragma unroll
  for (int r = 0; r < own; ++r) keep(r * column_warps + warp, is_leaf ? factors[r] : top[r]);
}

/// Columns of a leaf that form_multipliers() solves for one by one before those after them follow.
constexpr int multiplier_slice = 8;

/// Shared memory of form_multipliers(): U, its diagonal inverted, zeros beyond it, and tiles.
template <typename T>
struct MultiplierBoard {
  alignas(16) T upper[leaf_width][leaf_width + leaf_width - multiplier_slice];
  T tiles[multiplier_rows / warp_size][tile_size];
};

/// A thread has a row. Slices of columns go by the same few instructions, the row's registers
/// moving up.
template <typename T>
__global__ void __launch_bounds__(multiplier_rows)
    form_multipliers(T* a, Index stride, Index rows, int width, const T* factors,
                     Index factors_stride, PanelReport* report) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto& board = *reinterpret_cast<MultiplierBoard<T>*>(memory);
  T* const tile = board.tiles[threadIdx.x / warp_size];
  constexpr int pitch = sizeof(board.upper[0]) / sizeof(T);
  const int lane = threadIdx.x % warp_size;
  const Index first_row = thread_index() - lane;
  const Index mine = first_row + lane;
  wait_for_previous_launch();
  constexpr int shares = leaf_width * leaf_width / multiplier_rows;
  T share[shares];
  const int thread = static_cast<int>(threadIdx.x);
  const int column = thread % leaf_width;
#pragma unroll
  for (int s = 0; s < shares; ++s) {
    const int i = (s * multiplier_rows + thread) / leaf_width;
    share[s] = i < width && column < width ? factors[i * factors_stride + column] : T{};
  }
#pragma unroll
  for (int s = 0; s < shares; ++s) {
    board.upper[(s * multiplier_rows + thread) / leaf_width][column] = share[s];
  }
  for (int k = thread; k < leaf_width * (pitch - leaf_width); k += multiplier_rows) {
    const int beyond = pitch - leaf_width;
    board.upper[k / beyond][leaf_width + k % beyond] = T{};
  }
  T x[leaf_width];
  load_rows(a, stride, mine < rows ? static_cast<int>(mine) : -1, width, tile, x);
  __syncthreads();
  // All at once: where one lane of a warp divides, the others wait for it.
  if (thread < leaf_width) {
    T& pivot = board.upper[thread][thread];
    if (pivot != T{}) pivot = T{1} / pivot;
  }
  __syncthreads();
  unsigned long long key = 0;
#pragma unroll 1
  for (int first = 0; first < width; first += multiplier_slice) {
#pragma unroll
    for (int j = 0; j < multiplier_slice; ++j) {
      const T* const u = board.upper[first + j] + first;
      x[j] *= u[j];
#pragma unroll
      for (int c = (j + 1) / 2 * 2; c < leaf_width; c += 2) {
        const Pair<T> values = pair_at(u, c);
        if (c > j) x[c] -= x[j] * values.x;
        x[c + 1] -= x[j] * values.y;
      }
    }
#pragma unroll
    for (int j = 0; j < multiplier_slice; ++j) {
      if (first + j < width) key = max(key, magnitude_key(x[j]));
      tile[lane * tile_stride + first + j] = x[j];
    }
#pragma unroll
    for (int c = multiplier_slice; c < leaf_width; ++c) x[c - multiplier_slice] = x[c];
  }
  unsigned long long best = 0;
  lane_of_largest(mine < rows ? key : 0, best);
  if (lane == 0 && best > 0) atomicMax(&report->largest_multiplier, best);
  store_tile(a, stride, first_row, rows, width, tile);
}

/// width <= small_triangle.
template <typename T>
__global__ void __launch_bounds__(column_threads)
    solve_lower(int width, Index columns, const T* l, Index l_stride, const T* b, T* x_there,
                Index stride) {
  constexpr int own = small_triangle / column_warps;
  constexpr int shares = small_triangle * small_triangle / column_threads;
  __shared__ ColumnBoard<small_triangle, T> board;
  const int warp = threadIdx.x / warp_size;
  const Index j = static_cast<Index>(blockIdx.x) * warp_size + threadIdx.x % warp_size;
  const bool inside = j < columns;
  wait_for_previous_launch();
  T x[own], share[shares];
#pragma unroll
  for (int r = 0; r < own; ++r) {
    const int i = r * column_warps + warp;
    x[r] = inside && i < width ? b[i * stride + j] : T{};
  }
  const int c = static_cast<int>(threadIdx.x) % small_triangle;
  const int first = static_cast<int>(threadIdx.x) / small_triangle;
#pragma unroll
  for (int s = 0; s < shares; ++s) {
    const int i = s * (column_threads / small_triangle) + first;
    share[s] = i < width && c < i ? l[i * l_stride + c] : T{};
  }
#pragma unroll
  for (int s = 0; s < shares; ++s) {
    board.lower[s * (column_threads / small_triangle) + first][c] = share[s];
  }
  solve_columns(x, board, [&](int row, T value) {
    if (inside && row < width) x_there[row * stride + j] = value;
  });
}

}  // namespace

template <typename T>
void move_leaf_rows(T* a, Index stride, Index columns, Index column, int width, int next,
                    const Leaf<T>* leaf, cudaStream_t stream) {
  launch_programmatic(move_rows<T>, dim3(grid_for(columns, warp_size)), column_threads, 0, true,
                      stream, a, stride, columns, column, width, next, leaf);
  check_launch("move_rows");
}

template <typename T>
void form_leaf_multipliers(T* a, Index stride, Index rows, int width, const T* upper,
                           Index upper_stride, PanelReport* report, cudaStream_t stream) {
  if (rows == 0) return;
  constexpr auto bytes = static_cast<int>(sizeof(MultiplierBoard<T>));
  static const cudaError_t allowed =
      cudaFuncSetAttribute(form_multipliers<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  CUDA_CHECK(allowed);
  launch_programmatic(form_multipliers<T>, dim3(grid_for(rows, multiplier_rows)), multiplier_rows,
                      bytes, true, stream, a, stride, rows, width, upper, upper_stride, report);
  check_launch("form_multipliers");
}

template <typename T>
void solve_unit_lower_small(int width, Index columns, const T* l, Index l_stride, const T* b, T* x,
                            Index stride, cudaStream_t stream) {
  if (width == 0 || columns == 0) return;
  launch_programmatic(solve_lower<T>, dim3(grid_for(columns, warp_size)), column_threads, 0, true,
                      stream, width, columns, l, l_stride, b, x, stride);
  check_launch("solve_lower");
}

SPSOLVE_INSTANTIATE_FUNCTION(move_leaf_rows)
SPSOLVE_INSTANTIATE_FUNCTION(form_leaf_multipliers)
SPSOLVE_INSTANTIATE_FUNCTION(solve_unit_lower_small)

}  // namespace spsolve::cuda::dense
