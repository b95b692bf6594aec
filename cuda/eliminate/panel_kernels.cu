#include "cuda/eliminate/leaf_rows.cuh"

namespace spsolve::cuda {

namespace {

/// Threads of the kernel that moves rows, one column each.
constexpr int move_threads = 64;

/// Threads of the kernels that form multipliers, one row each.
constexpr int multiplier_rows = 128;

/// Threads of the kernel that solves with small triangles, four to a column.
constexpr int triangle_threads = 128;

/// A thread a column. `formed`: the leaf's rows are eliminated in place.
template <typename T>
__global__ void __launch_bounds__(move_threads)
    move_rows(T* a, Index stride, Index columns, Index column, int width, int next, bool formed,
              const Leaf<T>* leaf) {
  __shared__ int to[2 * leaf_width], from[2 * leaf_width];
  __shared__ T factors[leaf_width * leaf_width];
  for (int k = threadIdx.x; k < 2 * leaf_width; k += blockDim.x) {
    to[k] = leaf->moves_to[k];
    from[k] = leaf->moves_from[k];
  }
  __syncthreads();
  constexpr int own = leaf_width * leaf_width / move_threads;
  const int inner = threadIdx.x % leaf_width;
  T loaded[own];
#pragma unroll
  for (int k = 0; k < own; ++k) {
    const int i = (k * move_threads + static_cast<int>(threadIdx.x)) / leaf_width;
    const bool there = i < width && inner < width;
    loaded[k] = formed ? a[(there ? from[i] : 0) * stride + column + (there ? inner : 0)]
                       : leaf->factors[i * leaf_width + inner];
  }
#pragma unroll
  for (int k = 0; k < own; ++k) factors[k * move_threads + threadIdx.x] = loaded[k];
  __syncthreads();
  const Index j = thread_index();
  if (j >= columns) return;
  T top[leaf_width], displaced[leaf_width];
#pragma unroll
  for (int k = 0; k < leaf_width; ++k) {
    top[k] = to[k] >= 0 ? a[from[k] * stride + j] : T{};
    displaced[k] = to[leaf_width + k] >= 0 ? a[from[leaf_width + k] * stride + j] : T{};
  }
#pragma unroll
  for (int k = 0; k < leaf_width; ++k) {
    if (to[leaf_width + k] >= 0) a[to[leaf_width + k] * stride + j] = displaced[k];
  }
  const Index inside = j - column;
  if (!formed && inside >= 0 && inside < width) {
    for (int k = 0; k < width; ++k) a[k * stride + j] = factors[k * leaf_width + inside];
    return;
  }
  if (inside >= width && inside < width + next) {
#pragma unroll
    for (int k = 0; k < leaf_width; ++k) {
#pragma unroll
      for (int i = k + 1; i < leaf_width; ++i) {
        if (i < width) top[i] -= factors[i * leaf_width + k] * top[k];
      }
    }
  }
#pragma unroll
  for (int k = 0; k < leaf_width; ++k) {
    if (k < width) a[k * stride + j] = top[k];
  }
}

template <typename T>
constexpr std::size_t multiplier_bytes = sizeof(T) * (2 * leaf_width * leaf_width +
                                                      multiplier_rows / warp_size * tile_size);

template <typename T>
__global__ void __launch_bounds__(multiplier_rows)
    form_multipliers(T* a, Index stride, Index rows, int width, int next, const Leaf<T>* leaf,
                     PanelReport* report) {
  extern __shared__ __align__(16) unsigned char memory[];
  T* const upper = reinterpret_cast<T*>(memory);     // U, its diagonal inverted
  T* const right = upper + leaf_width * leaf_width;  // U12
  T* const tile = right + leaf_width * leaf_width + threadIdx.x / warp_size * tile_size;
#pragma unroll
  for (int base = 0; base < leaf_width * leaf_width; base += multiplier_rows) {
    const int k = base + static_cast<int>(threadIdx.x);
    const int i = k / leaf_width, j = k % leaf_width;
    const T value = leaf->factors[k];
    upper[k] = i != j || value == T{} || i >= width ? value : T{1} / value;
    right[k] = i < width && j < next ? a[(i - width) * stride + width + j] : T{};
  }
  __syncthreads();
  const int lane = threadIdx.x % warp_size;
  const Index first = thread_index() - lane;
  const Index mine = first + lane;
  const int index = mine < rows ? static_cast<int>(mine) : -1;
  T row[leaf_width];
  load_rows(a, stride, index, width, tile, row);
  T largest{};
#pragma unroll
  for (int j = 0; j < leaf_width; ++j) {
    if (j < width) {
      row[j] *= upper[j * leaf_width + j];
#pragma unroll
      for (int c = (j + 1) / 2 * 2; c < leaf_width; c += 2) {
        const Pair<T> values = pair_at(upper + j * leaf_width, c);
        if (c > j) row[c] -= row[j] * values.x;
        row[c + 1] -= row[j] * values.y;
      }
    }
  }
  unsigned long long key = 0;
#pragma unroll
  for (int j = 0; j < leaf_width; ++j) {
    if (j < width) key = max(key, magnitude_key(row[j]));
  }
  unsigned long long best = 0;
  lane_of_largest(mine < rows ? key : 0, best);
  if (lane == 0 && best > 0) atomicMax(&report->largest_multiplier, best);
  store_rows(a, stride, first, rows, width, tile, row);
  if (next == 0) return;
  T behind[leaf_width];
  load_rows(a + width, stride, index, next, tile, behind);
#pragma unroll
  for (int k = 0; k < leaf_width; ++k) {
    if (k < width) {
#pragma unroll
      for (int c = 0; c < leaf_width; c += 2) {
        const Pair<T> values = pair_at(right + k * leaf_width, c);
        behind[c] -= row[k] * values.x;
        behind[c + 1] -= row[k] * values.y;
      }
    }
  }
  store_rows(a + width, stride, first, rows, next, tile, behind);
}

/// Four lanes a column, lane q of them with the rows i = q mod 4; width <= `order`. No branch
/// inside the steps: what is not there is zero, and loads go ahead of the chain of steps.
template <int order, typename T>
__global__ void __launch_bounds__(triangle_threads)
    solve_lower(int width, Index columns, const T* l, Index l_stride, T* b, Index b_stride) {
  constexpr int lanes = 4;
  constexpr int own = order / lanes;
  constexpr int shares = order * order / triangle_threads;
  __shared__ T lower[order * (order + 1)];  // column after column of L
  const int q = threadIdx.x % lanes;
  const Index j = thread_index() / lanes;
  const bool valid = j < columns;
  T x[own];
#pragma unroll
  for (int r = 0; r < own; ++r) {
    const int i = r * lanes + q;
    x[r] = valid && i < width ? b[i * b_stride + j] : T{};
  }
  T share[shares];
#pragma unroll
  for (int s = 0; s < shares; ++s) {
    const int k = s * triangle_threads + static_cast<int>(threadIdx.x);
    const int i = k / order, c = k % order;
    share[s] = i < width && c < i ? l[i * l_stride + c] : T{};
  }
#pragma unroll
  for (int s = 0; s < shares; ++s) {
    const int k = s * triangle_threads + static_cast<int>(threadIdx.x);
    lower[k % order * (order + 1) + k / order] = share[s];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < order; ++k) {
    const T known = __shfl_sync(whole_warp, x[k / lanes], k % lanes, lanes);
    // L is zero on and above the diagonal: rows that are final stay as they are.
#pragma unroll
    for (int r = k / lanes; r < own; ++r) {
      x[r] -= lower[k * (order + 1) + r * lanes + q] * known;
    }
  }
#pragma unroll
  for (int r = 0; r < own; ++r) {
    const int i = r * lanes + q;
    if (valid && i < width) b[i * b_stride + j] = x[r];
  }
}

}  // namespace

template <typename T>
void move_leaf_rows(T* a, Index stride, Index columns, Index column, int width, int next,
                    bool formed, const Leaf<T>* leaf, cudaStream_t stream) {
  move_rows<T><<<grid_for(columns, move_threads), move_threads, 0, stream>>>(
      a, stride, columns, column, width, next, formed, leaf);
  check_launch("move_rows");
}

template <typename T>
void form_leaf_multipliers(T* a, Index stride, Index rows, int width, int next, const Leaf<T>* leaf,
                           PanelReport* report, cudaStream_t stream) {
  if (rows == 0) return;
  static const cudaError_t allowed =
      cudaFuncSetAttribute(form_multipliers<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(multiplier_bytes<T>));
  CUDA_CHECK(allowed);
  form_multipliers<T>
      <<<grid_for(rows, multiplier_rows), multiplier_rows, multiplier_bytes<T>, stream>>>(
          a, stride, rows, width, next, leaf, report);
  check_launch("form_multipliers");
}

template <typename T>
void solve_unit_lower_small(int width, Index columns, const T* l, Index l_stride, T* b,
                            Index b_stride, cudaStream_t stream) {
  const unsigned blocks = grid_for(4 * columns, triangle_threads);
  if (width <= small_triangle / 2) {
    solve_lower<small_triangle / 2>
        <<<blocks, triangle_threads, 0, stream>>>(width, columns, l, l_stride, b, b_stride);
  } else {
    solve_lower<small_triangle>
        <<<blocks, triangle_threads, 0, stream>>>(width, columns, l, l_stride, b, b_stride);
  }
  check_launch("solve_lower");
}

#define SPSOLVE_INSTANTIATE(T)                                                                  \
  template void move_leaf_rows(T*, Index, Index, Index, int, int, bool, const Leaf<T>*,         \
                               cudaStream_t);                                                   \
  template void form_leaf_multipliers(T*, Index, Index, int, int, const Leaf<T>*, PanelReport*, \
                                      cudaStream_t);                                            \
  template void solve_unit_lower_small(int, Index, const T*, Index, T*, Index, cudaStream_t);
SPSOLVE_INSTANTIATE(float)
SPSOLVE_INSTANTIATE(double)
#undef SPSOLVE_INSTANTIATE

}  // namespace spsolve::cuda
