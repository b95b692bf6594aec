#include "cuda/core/launch.cuh"
#include "cuda/core/magnitude.cuh"
#include "cuda/dense/columnwise/candidate.cuh"

namespace spsolve::cuda::inline dense {

namespace {

constexpr int threads = 256;
constexpr int warps = threads / warp_size;

/// Rows of the tile that one block of eliminate() updates.
constexpr int tile_rows = 8;

template <typename T>
__global__ void __launch_bounds__(threads)
    find(const T* a, Index stride, Index first_row, Index rows, Index first_column, Index columns,
         Candidate* space, unsigned* counter) {
  Candidate mine{0, 0, 0};
  for (Index k = thread_index(); k < rows * columns; k += thread_count()) {
    const Index i = first_row + k / columns, j = first_column + k % columns;
    const Candidate here{magnitude_key(a[i * stride + j]), i, j};
    if (better(here, mine)) mine = here;
  }
  mine = best_of_block<threads>(mine);
  if (threadIdx.x == 0) space[1 + blockIdx.x] = mine;
  if (!is_last_block(counter, gridDim.x)) return;
  Candidate best{0, 0, 0};
  if (threadIdx.x < gridDim.x) best = load_fresh(space + 1 + threadIdx.x);
  best = best_of_block<threads>(best);
  if (threadIdx.x == 0) space[0] = best;
}

template <typename T>
__global__ void form(T* a, Index stride, Index first, Index rows, Index column, const T* pivot,
                     T* multipliers) {
  const Index i = thread_index();
  if (i >= rows) return;
  T& place = a[(first + i) * stride + column];
  place = multipliers[i] = place / pivot[column];
}

template <typename T>
__global__ void __launch_bounds__(threads)
    eliminate(T* a, Index stride, Index first, Index rows, Index order, Index column,
              const T* pivot, const T* multipliers) {
  const Index j = column + 1 + thread_index();
  if (j >= order) return;
  const T value = pivot[j];
  for (Index top = blockIdx.y * static_cast<Index>(tile_rows); top < rows;
       top += gridDim.y * static_cast<Index>(tile_rows)) {
    T* target = a + (first + top) * stride + j;
#pragma unroll
    for (int r = 0; r < tile_rows; ++r) {
      if (top + r < rows) target[r * stride] -= multipliers[top + r] * value;
    }
  }
}

template <typename T>
__global__ void subtract_multiples(T* b, Index stride, Index rows, Index columns,
                                   const T* multipliers, Index step, const T* pivot) {
  const Index k = thread_index();
  if (k >= rows * columns) return;
  const Index i = k / columns, c = k % columns;
  b[i * stride + c] -= multipliers[i * step] * pivot[c];
}

template <typename T>
__global__ void swap_elements(T* one, T* other, Index step, Index count) {
  const Index k = thread_index();
  if (k >= count) return;
  const T kept = one[k * step];
  one[k * step] = other[k * step];
  other[k * step] = kept;
}

/// A warp a row and column of x.
template <typename T>
__global__ void strict_upper(const T* a, Index stride, Index order, const T* x, T* y,
                             Index columns) {
  const Index warp = thread_index() / warp_size;
  const Index i = warp / columns, c = warp % columns;
  if (i >= order) return;
  T sum{};
  for (Index k = i + 1 + threadIdx.x % warp_size; k < order; k += warp_size) {
    sum += a[i * stride + k] * x[k * columns + c];
  }
  sum = sum_of_group<warp_size>(sum);
  if (threadIdx.x % warp_size == 0) y[i * columns + c] = x[i * columns + c] - sum;
}

/// A thread a row k of y: neighbours read neighbouring columns of a.
template <typename T>
__global__ void strict_upper_transposed(const T* a, Index stride, Index order, const T* x, T* y,
                                        Index columns) {
  const Index k = thread_index();
  if (k >= order) return;
  for (Index c = blockIdx.y; c < columns; c += gridDim.y) {
    T sum{};
    for (Index i = 0; i < k; ++i) sum += a[i * stride + k] * x[i * columns + c];
    y[k * columns + c] = x[k * columns + c] - sum;
  }
}

}  // namespace

template <typename T>
void find_candidate(const T* a, Index stride, Index first_row, Index rows, Index first_column,
                    Index columns, Candidate* space, unsigned* counter, cudaStream_t stream) {
  const unsigned blocks = std::min<unsigned>(grid_for(rows * columns, threads), candidate_blocks);
  find<T><<<blocks, threads, 0, stream>>>(a, stride, first_row, rows, first_column, columns, space,
                                          counter);
  check_launch("find_candidate");
}

template <typename T>
void eliminate_rows(T* a, Index stride, Index first, Index rows, Index order, Index column,
                    const T* pivot, T* multipliers, cudaStream_t stream) {
  if (rows == 0) return;
  form<T><<<grid_for(rows, threads), threads, 0, stream>>>(a, stride, first, rows, column, pivot,
                                                           multipliers);
  const Index columns = order - column - 1;
  if (columns > 0) {
    const dim3 grid(grid_for(columns, threads),
                    std::min<unsigned>(grid_for(rows, tile_rows), 65535u));
    eliminate<T>
        <<<grid, threads, 0, stream>>>(a, stride, first, rows, order, column, pivot, multipliers);
  }
  check_launch("eliminate_rows");
}

template <typename T>
void eliminate_carried(T* b, Index stride, Index rows, Index columns, const T* multipliers,
                       Index step, const T* pivot, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  subtract_multiples<T><<<grid_for(rows * columns, threads), threads, 0, stream>>>(
      b, stride, rows, columns, multipliers, step, pivot);
  check_launch("eliminate_carried");
}

template <typename T>
void swap_two_rows(T* a, Index stride, Index columns, Index i, Index k, cudaStream_t stream) {
  swap_elements<T><<<grid_for(columns, threads), threads, 0, stream>>>(a + i * stride,
                                                                       a + k * stride, 1, columns);
  check_launch("swap_two_rows");
}

template <typename T>
void swap_two_columns(T* a, Index stride, Index rows, Index i, Index k, cudaStream_t stream) {
  if (rows == 0) return;
  swap_elements<T><<<grid_for(rows, threads), threads, 0, stream>>>(a + i, a + k, stride, rows);
  check_launch("swap_two_columns");
}

template <typename T>
void subtract_strict_upper(const T* a, Index stride, Index order, const T* x, T* y, Index columns,
                           cudaStream_t stream) {
  if (order == 0) return;
  strict_upper<T>
      <<<grid_for(order * columns, warps), threads, 0, stream>>>(a, stride, order, x, y, columns);
  check_launch("subtract_strict_upper");
}

template <typename T>
void subtract_strict_upper_transposed(const T* a, Index stride, Index order, const T* x, T* y,
                                      Index columns, cudaStream_t stream) {
  if (order == 0 || columns == 0) return;
  constexpr Index most_in_grid = 65535;
  const dim3 grid(grid_for(order, threads),
                  static_cast<unsigned>(std::min<Index>(columns, most_in_grid)));
  strict_upper_transposed<T><<<grid, threads, 0, stream>>>(a, stride, order, x, y, columns);
  check_launch("subtract_strict_upper_transposed");
}

SPSOLVE_INSTANTIATE_FUNCTION(find_candidate)
SPSOLVE_INSTANTIATE_FUNCTION(eliminate_rows)
SPSOLVE_INSTANTIATE_FUNCTION(eliminate_carried)
SPSOLVE_INSTANTIATE_FUNCTION(swap_two_rows)
SPSOLVE_INSTANTIATE_FUNCTION(swap_two_columns)
SPSOLVE_INSTANTIATE_FUNCTION(subtract_strict_upper)
SPSOLVE_INSTANTIATE_FUNCTION(subtract_strict_upper_transposed)

}  // namespace spsolve::cuda::dense
