#include "cuda/core/launch.cuh"
#include "cuda/multiply/fast/cut_rows.hpp"

namespace spsolve::cuda::inline multiply {

namespace {

constexpr int block = 256;

/// Block (x, y): cut rows x, x + gridDim.x, ... and `width` columns from y * width on. Groups of
/// `width` threads take every (block / width)-th piece; their sums are added by a tree.
template <int width, typename T>
__global__ void __launch_bounds__(block) add_sums(const Index* rows, const LocalIndex* pieces,
                                                  Index count, const T* sums, T* y, Index columns) {
  constexpr int groups = block / width;
  __shared__ T parts[block];
  const int place = threadIdx.x % width, group = threadIdx.x / width;
  const Index c = static_cast<Index>(blockIdx.y) * width + place;
  for (Index row = blockIdx.x; row < count; row += gridDim.x) {
    T sum{};
    if (c < columns) {
      const LocalIndex end = pieces[row + 1];
#pragma unroll 8
      for (LocalIndex piece = pieces[row] + group; piece < end; piece += groups) {
        sum += sums[piece * columns + c];
      }
    }
    parts[threadIdx.x] = sum;
    __syncthreads();
    for (int half = groups / 2; half > 0; half /= 2) {
      if (group < half) parts[threadIdx.x] += parts[threadIdx.x + half * width];
      __syncthreads();
    }
    if (group == 0 && c < columns) y[rows[row] * columns + c] = parts[threadIdx.x];
    __syncthreads();  // before the next sums
  }
}

template <typename T>
__global__ void clear(const Index* rows, Index count, T* y, Index columns) {
  for (Index e = thread_index(); e < count * columns; e += thread_count()) {
    y[rows[e / columns] * columns + e % columns] = T{};
  }
}

}  // namespace

template <typename T>
void add_pieces(const CutRows<T>& cut, T* y, Index columns) {
  const Index count = cut.rows.size();
  if (count == 0) return;
  const auto launch = [&]<int width>() {
    const dim3 grid(grid_for(count, 1), grid_for(columns, width));
    add_sums<width><<<grid, block, 0, current_stream()>>>(cut.rows.data(), cut.pieces.data(), count,
                                                          cut.sums.data(), y, columns);
  };
  if (columns == 1) {
    launch.template operator()<1>();
  } else if (columns <= 4) {
    launch.template operator()<4>();
  } else if (columns <= 8) {
    launch.template operator()<8>();
  } else {
    launch.template operator()<16>();
  }
  check_launch("add_pieces");
}

template <typename T>
void clear_rows(const DeviceArray<Index>& rows, T* y, Index columns) {
  if (rows.size() == 0) return;
  clear<<<grid_for(rows.size() * columns, block), block, 0, current_stream()>>>(
      rows.data(), rows.size(), y, columns);
  check_launch("clear_rows");
}

SPSOLVE_INSTANTIATE_FUNCTION(add_pieces)
SPSOLVE_INSTANTIATE_FUNCTION(clear_rows)

}  // namespace spsolve::cuda::multiply
