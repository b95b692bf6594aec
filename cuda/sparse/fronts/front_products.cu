#include <type_traits>

#include "cuda/core/programmatic_launch.cuh"
#include "cuda/core/tiles/async_copy.cuh"
#include "cuda/core/tiles/tensor_cores.cuh"
#include "cuda/sparse/fronts/front_products.hpp"
#include "cuda/sparse/pivots/multiplier.cuh"

namespace spsolve::cuda::inline sparse {

namespace {

constexpr int side = product_tile;
constexpr int depth = 16;  // columns of A and B that are loaded at a time
constexpr int stages = 3;
constexpr int threads = 128;

/// Values between columns of A and B in shared memory: 4 modulo 16, so that the threads of a warp
/// read different banks.
constexpr int stride = side + 4;

template <typename T>
constexpr int shared_bytes = stages * 2 * depth* stride* static_cast<int>(sizeof(T));

/// Begins to load `depth` columns of a tile of `rows` rows; columns from `left` on are zeros.
template <typename T>
__device__ void load_columns(const T* from, Index ld, int rows, int left, T* to) {
  constexpr int pack = 16 / static_cast<int>(sizeof(T));
  constexpr int packs = side / pack;
  for (int i = threadIdx.x; i < packs * depth; i += threads) {
    const int row = i % packs * pack, column = i / packs;
    const int count = column < left ? min(max(rows - row, 0), pack) : 0;
    const T* source = count > 0 ? from + row + column * ld : from;
    copy_async(shared_address(to + row + column * stride), source,
               count * static_cast<int>(sizeof(T)));
  }
}

/// The sums of one warp's quarter of a tile, 32 x 32.
template <typename T>
struct Quarter;

/// Products by tensor cores: 2 x 4 pieces of 16 x 8.
template <>
struct Quarter<double> {
  static constexpr int elements = 32;  ///< of a thread
  double sums[2][4][4] = {};

  __device__ void add(const double* a, const double* b) {
    const int lane = threadIdx.x % warp_size;
    const int group = lane / 4, member = lane % 4;
#pragma unroll
    for (int k = 0; k < depth; k += 8) {
      double x[2][4], y[4][2];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          x[i][e] = a[(k + member + e / 2 * 4) * stride + i * 16 + group + e % 2 * 8];
        }
      }
#pragma unroll
      for (int j = 0; j < 4; ++j) {
#pragma unroll
        for (int e = 0; e < 2; ++e) y[j][e] = b[(k + member + e * 4) * stride + j * 8 + group];
      }
#pragma unroll
      for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          multiply_add(x[i], y[j], sums[i][j]);
        }
      }
    }
  }

  /// Calls visit(row, column, sum) for every element of this thread.
  template <typename Visit>
  __device__ void each(const Visit& visit) const {
    const int lane = threadIdx.x % warp_size;
    const int group = lane / 4, member = lane % 4;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          visit(i * 16 + group + e / 2 * 8, j * 8 + member * 2 + e % 2, sums[i][j][e]);
        }
      }
    }
  }
};

/// Products by plain multiplications: 8 x 4 elements a thread.
template <>
struct Quarter<float> {
  static constexpr int elements = 32;
  float sums[8][4] = {};

  __device__ void add(const float* a, const float* b) {
    const int lane = threadIdx.x % warp_size;
    const int row = lane % 4 * 8, column = lane / 4 * 4;
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      float x[8], y[4];
#pragma unroll
      for (int i = 0; i < 8; ++i) x[i] = a[k * stride + row + i];
#pragma unroll
      for (int j = 0; j < 4; ++j) y[j] = b[k * stride + column + j];
#pragma unroll
      for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) sums[i][j] += x[i] * y[j];
      }
    }
  }

  template <typename Visit>
  __device__ void each(const Visit& visit) const {
    const int lane = threadIdx.x % warp_size;
    const int row = lane % 4 * 8, column = lane / 4 * 4;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
#pragma unroll
      for (int i = 0; i < 8; ++i) visit(row + i, column + j, sums[i][j]);
    }
  }
};

template <typename T>
__global__ void __launch_bounds__(threads)
    multiply_tiles_kernel(const ProductTile* tiles, const FrontProduct* products, T* arena,
                          unsigned long long* largest) {
  extern __shared__ __align__(16) unsigned char raw[];
  T* const shared = reinterpret_cast<T*>(raw);
  const ProductTile tile = tiles[blockIdx.x];
  const FrontProduct product = products[tile.product];
  const int row = tile.row * side, column = tile.column * side;
  const int rows = min(side, product.m - row), columns = min(side, product.n - column);
  const T* a = arena + product.a + row;
  const T* b = arena + product.b + column;
  const Index lda = product.lda, ldb = product.ldb;
  const int steps = (product.k + depth - 1) / depth;
  const auto place = [&](int step) { return shared + step % stages * (2 * depth * stride); };
  const auto load = [&](int step) {
    if (step < steps) {
      const int k = step * depth;
      load_columns(a + k * lda, lda, rows, product.k - k, place(step));
      load_columns(b + k * ldb, ldb, columns, product.k - k, place(step) + depth * stride);
    }
    commit_copies();
  };
  trigger_and_wait();
  for (int step = 0; step < stages - 1; ++step) load(step);
  Quarter<T> quarter;
  const int warp = threadIdx.x / warp_size;
  const int part_row = warp % 2 * 32, part_column = warp / 2 * 32;
  for (int step = 0; step < steps; ++step) {
    wait_for_copies<stages - 2>();
    __syncthreads();
    load(step + stages - 1);
    quarter.add(place(step) + part_row, place(step) + depth * stride + part_column);
  }
  wait_for_copies<0>();
  __syncthreads();  // C may lie where A does
  T* c = arena + product.c + row + static_cast<Index>(column) * product.ldc;
  const Index ldc = product.ldc;
  const auto is_inside = [&](int i, int j) {
    return part_row + i < rows && part_column + j < columns;
  };
  const auto place_in_c = [&](int i, int j) { return part_row + i + (part_column + j) * ldc; };
  if (product.what == FrontProduct::subtract) {
    // All loads are under way before the first store, which any of them might depend on.
    T old[Quarter<T>::elements];
    int k = 0;
    quarter.each([&](int i, int j, T) {
      old[k] = is_inside(i, j) ? c[place_in_c(i, j)] : T(0);
      ++k;
    });
    k = 0;
    quarter.each([&](int i, int j, T sum) {
      if (is_inside(i, j)) c[place_in_c(i, j)] = old[k] - sum;
      ++k;
    });
    return;
  }
  Real<T> most = 0;
  quarter.each([&](int i, int j, T sum) {
    if (!is_inside(i, j)) return;
    c[place_in_c(i, j)] = sum;
    most = fmax(most, magnitude(sum));
  });
  if (product.what == FrontProduct::assign_and_watch) count_multiplier(most, largest);
}

}  // namespace

template <typename T>
void multiply_tiles(const ProductTile* tiles, Index count, const FrontProduct* products, T* arena,
                    unsigned long long* largest, cudaStream_t stream) {
  if (count == 0) return;
  CUDA_CHECK(cudaFuncSetAttribute(multiply_tiles_kernel<T>,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes<T>));
  launch_programmatic(multiply_tiles_kernel<T>, dim3(static_cast<unsigned>(count)), threads,
                      shared_bytes<T>, true, stream, tiles, products, arena, largest);
  check_launch("multiply_tiles");
}

SPSOLVE_INSTANTIATE_FUNCTION(multiply_tiles)

}  // namespace spsolve::cuda::sparse
