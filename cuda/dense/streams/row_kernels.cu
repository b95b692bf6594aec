#include "cuda/core/launch.cuh"
#include "cuda/core/magnitude.cuh"
#include "cuda/dense/streams/row_kernels.hpp"
#include "matrix/random.hpp"

namespace spsolve::cuda::inline dense {

namespace {

constexpr int threads = 128;

/// Rows in the second dimension of a grid.
unsigned rows_of_grid(Index rows) {
  return static_cast<unsigned>(std::clamp<Index>(rows, 1, 65535));
}

template <typename T>
__global__ void scatter(const Index* offsets, const int* columns, const double* values, Index rows,
                        T* a, Index stride, const int* numbers) {
  for (Index i = blockIdx.x; i < rows; i += gridDim.x) {
    for (Index k = offsets[i] + threadIdx.x; k < offsets[i + 1]; k += blockDim.x) {
      const int j = numbers == nullptr ? columns[k] : numbers[columns[k]];
      a[i * stride + j] = static_cast<T>(values[k]);
    }
  }
}

template <typename T>
__global__ void random_values(unsigned long long key, double diagonal, const Index* row_numbers,
                              Index rows, Index columns, T* a, Index stride) {
  const Index j = thread_index();
  if (j >= columns) return;
  for (Index i = blockIdx.y; i < rows; i += gridDim.y) {
    const auto counter = static_cast<std::uint64_t>(row_numbers[i] << 32 | j);
    const double value = symmetric_interval(random_bits(key, counter));
    a[i * stride + j] = static_cast<T>(row_numbers[i] == j ? value + diagonal : value);
  }
}

template <typename T>
__global__ void convert(const double* dense, Index dense_stride, Index rows, Index columns, T* a,
                        Index stride) {
  const Index j = thread_index();
  if (j >= columns) return;
  for (Index i = blockIdx.y; i < rows; i += gridDim.y) {
    a[i * stride + j] = static_cast<T>(dense[i * dense_stride + j]);
  }
}

/// A thread a column, a row of blocks a group of cycles.
template <typename T>
__global__ void __launch_bounds__(threads)
    permute(T* a, Index stride, Index columns, const RowMove* moves, const int* groups,
            LiftedRows<T> lifted) {
  constexpr int batch = 16;
  __shared__ RowMove mine[threads];
  const Index j = thread_index();
  const bool works = j < columns;
  const int last = groups[blockIdx.y + 1];
  T saved{};
  for (int begin = groups[blockIdx.y]; begin < last; begin += threads) {
    const int count = min(threads, last - begin);
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < count) mine[threadIdx.x] = moves[begin + threadIdx.x];
    __syncthreads();
    if (!works) continue;
    for (int first = 0; first < count; first += batch) {
      // Every row is read before it is written: see RowMove.
      T source[batch], start[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        if (first + k >= count) continue;
        const RowMove move = mine[first + k];
        if (move.from >= 0) source[k] = a[move.from * stride + j];
        if (move.starts != 0) start[k] = a[move.to * stride + j];
      }
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        if (first + k >= count) continue;
        const RowMove move = mine[first + k];
        if (move.starts != 0) saved = start[k];
        const bool lifts = move.to >= lifted.first && move.to < lifted.last;
        T* const to =
            lifts ? lifted.to + (move.to - lifted.first) * lifted.stride : a + move.to * stride;
        to[j] = move.from >= 0 ? source[k] : saved;
      }
    }
  }
}

/// Pieces of 16 bytes, eight rows a thread.
constexpr int copied_rows = 8;
__global__ void copy_pieces(uint4* to, Index to_stride, const uint4* from, Index from_stride,
                            Index rows, Index pieces) {
  const Index j = thread_index();
  if (j >= pieces) return;
  const Index first = static_cast<Index>(blockIdx.y) * copied_rows;
  for (Index i = first; i < rows; i += static_cast<Index>(gridDim.y) * copied_rows) {
    uint4 values[copied_rows];
#pragma unroll
    for (int r = 0; r < copied_rows; ++r) {
      if (i + r < rows) values[r] = from[(i + r) * from_stride + j];
    }
#pragma unroll
    for (int r = 0; r < copied_rows; ++r) {
      if (i + r < rows) to[(i + r) * to_stride + j] = values[r];
    }
  }
}

template <typename T>
__global__ void identity(T* a, Index stride, Index order) {
  const Index j = thread_index();
  if (j >= order) return;
  for (Index i = blockIdx.y; i < order; i += gridDim.y) a[i * stride + j] = i == j ? T{1} : T{};
}

template <typename T>
__global__ void gather(const T* from, Index from_stride, const int* list, Index count,
                       Index columns, T* to, Index to_stride) {
  const Index j = thread_index();
  if (j >= columns) return;
  for (Index i = blockIdx.y; i < count; i += gridDim.y) {
    to[i * to_stride + j] = from[list[i] * from_stride + j];
  }
}

/// visit(element, its place where row i is row list[i]), a thread for each element.
template <typename Visit>
__device__ void over_listed(const int* list, Index count, Index columns, const Visit& visit) {
  for (Index e = thread_index(); e < count * columns; e += thread_count()) {
    const Index i = e / columns;
    visit(e, list == nullptr ? e : list[i] * columns + (e - i * columns));
  }
}

template <typename T>
__global__ void gather_narrow(const double* from, const int* list, Index count, Index columns,
                              T* to) {
  over_listed(list, count, columns,
              [&](Index e, Index place) { to[e] = static_cast<T>(from[place]); });
}

template <typename T, typename To>
__global__ void scatter_narrow(const T* from, const int* list, Index count, Index columns, To* to) {
  over_listed(list, count, columns,
              [&](Index e, Index place) { to[place] = static_cast<To>(from[e]); });
}

template <typename T>
__global__ void largest_key(const T* a, Index stride, Index rows, Index columns, bool upper,
                            unsigned long long* largest) {
  unsigned long long key = 0;
  for (Index i = blockIdx.y; i < rows; i += gridDim.y) {
    for (Index j = thread_index(); j < columns; j += thread_count()) {
      if (!upper || j >= i) key = max(key, magnitude_key(a[i * stride + j]));
    }
  }
  unsigned long long best = 0;
  lane_of_largest(key, best);
  if (threadIdx.x % warp_size == 0 && best > 0) atomicMax(largest, best);
}

}  // namespace

template <typename T>
void scatter_nonzeros(const Index* offsets, const int* columns, const double* values, Index rows,
                      T* a, Index stride, cudaStream_t stream, const int* numbers) {
  if (rows == 0) return;
  scatter<T><<<grid_for(rows, 1), threads, 0, stream>>>(offsets, columns, values, rows, a, stride,
                                                        numbers);
  check_launch("scatter_nonzeros");
}

template <typename T>
void fill_random(unsigned long long key, double diagonal, const Index* row_numbers, Index rows,
                 Index columns, T* a, Index stride, cudaStream_t stream) {
  if (rows == 0) return;
  random_values<T><<<dim3(grid_for(columns, threads), rows_of_grid(rows)), threads, 0, stream>>>(
      key, diagonal, row_numbers, rows, columns, a, stride);
  check_launch("fill_random");
}

template <typename T>
void convert_rows(const double* dense, Index dense_stride, Index rows, Index columns, T* a,
                  Index stride, cudaStream_t stream) {
  if (rows == 0) return;
  convert<T><<<dim3(grid_for(columns, threads), rows_of_grid(rows)), threads, 0, stream>>>(
      dense, dense_stride, rows, columns, a, stride);
  check_launch("convert_rows");
}

template <typename T>
void permute_rows(T* a, Index stride, Index columns, const RowMove* moves, const int* groups,
                  int group_count, const LiftedRows<T>& lifted, cudaStream_t stream) {
  if (group_count == 0 || columns == 0) return;
  const dim3 grid(grid_for(columns, threads), static_cast<unsigned>(group_count));
  permute<T><<<grid, threads, 0, stream>>>(a, stride, columns, moves, groups, lifted);
  check_launch("permute_rows");
}

template <typename T>
bool copy_quickly(T* to, Index to_stride, const T* from, Index from_stride, Index rows,
                  Index columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return true;
  constexpr Index values = sizeof(uint4) / sizeof(T);
  const auto whole = [](auto* start) { return reinterpret_cast<std::uintptr_t>(start) % 16 == 0; };
  if (!whole(to) || !whole(from) || (to_stride | from_stride | columns) % values != 0) return false;
  const Index pieces = columns / values;
  const dim3 grid(grid_for(pieces, threads), rows_of_grid((rows + copied_rows - 1) / copied_rows));
  copy_pieces<<<grid, threads, 0, stream>>>(reinterpret_cast<uint4*>(to), to_stride / values,
                                            reinterpret_cast<const uint4*>(from),
                                            from_stride / values, rows, pieces);
  check_launch("copy_quickly");
  return true;
}

template <typename T>
void set_identity(T* a, Index stride, Index order, cudaStream_t stream) {
  if (order == 0) return;
  identity<T><<<dim3(grid_for(order, threads), rows_of_grid(order)), threads, 0, stream>>>(
      a, stride, order);
  check_launch("set_identity");
}

template <typename T>
void gather_rows(const T* from, Index from_stride, const int* list, Index count, Index columns,
                 T* to, Index to_stride, cudaStream_t stream) {
  if (count == 0 || columns == 0) return;
  gather<T><<<dim3(grid_for(columns, threads), rows_of_grid(count)), threads, 0, stream>>>(
      from, from_stride, list, count, columns, to, to_stride);
  check_launch("gather_rows");
}

template <typename T>
void gather_narrow_rows(const double* from, const int* list, Index count, Index columns, T* to,
                        cudaStream_t stream) {
  if (count == 0 || columns == 0) return;
  gather_narrow<<<grid_for(count * columns, threads), threads, 0, stream>>>(from, list, count,
                                                                            columns, to);
  check_launch("gather_narrow_rows");
}

template <typename T, typename To>
void scatter_narrow_rows(const T* from, const int* list, Index count, Index columns, To* to,
                         cudaStream_t stream) {
  if (count == 0 || columns == 0) return;
  scatter_narrow<<<grid_for(count * columns, threads), threads, 0, stream>>>(from, list, count,
                                                                             columns, to);
  check_launch("scatter_narrow_rows");
}

template <typename T>
void find_largest(const T* a, Index stride, Index rows, Index columns, bool upper,
                  unsigned long long* largest, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  const dim3 grid(static_cast<unsigned>(std::clamp<Index>(columns / threads / 8, 1, 64)),
                  static_cast<unsigned>(std::clamp<Index>(rows, 1, 512)));
  largest_key<T><<<grid, threads, 0, stream>>>(a, stride, rows, columns, upper, largest);
  check_launch("find_largest");
}

SPSOLVE_INSTANTIATE_FUNCTION(scatter_nonzeros)
SPSOLVE_INSTANTIATE_FUNCTION(fill_random)
SPSOLVE_INSTANTIATE_FUNCTION(convert_rows)
SPSOLVE_INSTANTIATE_FUNCTION(permute_rows)
SPSOLVE_INSTANTIATE_FUNCTION(copy_quickly)
SPSOLVE_INSTANTIATE_FUNCTION(set_identity)
SPSOLVE_INSTANTIATE_FUNCTION(gather_rows)
SPSOLVE_INSTANTIATE_FUNCTION(gather_narrow_rows)
SPSOLVE_INSTANTIATE_FUNCTION(find_largest)
#define SPSOLVE_FOR(T) \
  template void scatter_narrow_rows(const T*, const int*, Index, Index, T*, cudaStream_t);
SPSOLVE_FOR_SCALARS(SPSOLVE_FOR)
template void scatter_narrow_rows(const float*, const int*, Index, Index, double*, cudaStream_t);

}  // namespace spsolve::cuda::dense
