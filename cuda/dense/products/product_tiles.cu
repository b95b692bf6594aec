#include "cuda/core/programmatic_launch.cuh"
#include "cuda/core/tiles/async_copy.cuh"
#include "cuda/core/tiles/tensor_cores.cuh"
#include "cuda/dense/products/product_tiles.hpp"

namespace spsolve::cuda::inline dense {

namespace {

constexpr int tile_threads = 128;  // four warps, two by two
constexpr int stages = 4;
constexpr int depth = 16;        // of a stage: columns of A, rows of B
constexpr int line_bytes = 128;  // `depth` values
constexpr int chunks = 8;        // of 16 bytes, in a line

constexpr int stage_bytes(int tile) {
  return 2 * tile * line_bytes;
}

/// Shared memory holds lines of 16 values: of a row of A, or of 16 columns in a row of B. Chunk c
/// of line i stands in place c ^ (i mod 8), so that lanes that read chunks of different lines meet
/// different banks.
__device__ unsigned place_of(int line, int chunk) {
  return static_cast<unsigned>(line * line_bytes + ((chunk ^ (line % chunks)) * 16));
}

/// 16 bytes to shared memory, of which the first `values` doubles are there and the others zero.
__device__ void copy_chunk(unsigned to, const double* from, Index values) {
  copy_async(to, from, 8 * static_cast<int>(max(Index{0}, min(values, Index{2}))));
}

/// A tile of C, as its transposed one: the instruction's 16 rows are columns of C, and its 8
/// columns rows, so that each lane reads its operands by 16 bytes as they lie: of multiply_add(),
/// rows g and g + 8 stand for columns 2 g and 2 g + 1 of C, inner indices t and t + 4 for 2 t and
/// 2 t + 1, column g for row row_of_g, and columns 2 t and 2 t + 1 for rows t and t + 4.
template <int tile, bool forms>
__global__ void __launch_bounds__(tile_threads) multiply_tile(ProductOfDoubles p) {
  constexpr int warp_tile = tile / 2;
  constexpr int groups = warp_tile / 16;  // of columns
  constexpr int strips = warp_tile / 8;   // of rows
  extern __shared__ __align__(1024) unsigned char memory[];
  const auto base = shared_address(memory);
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % warp_size, warp = thread / warp_size;
  const int g = lane / 4, t = lane % 4;
  const int row_of_g = g / 2 + g % 2 * 4;
  const Index first_row = static_cast<Index>(blockIdx.y) * tile;
  const Index first_column = static_cast<Index>(blockIdx.x) * tile;
  const int steps = static_cast<int>((p.k + depth - 1) / depth);
  wait_for_previous_launch();

  const auto fetch = [&](int step) {
    const unsigned stage = base + static_cast<unsigned>(step % stages * stage_bytes(tile));
    const Index inner = static_cast<Index>(step) * depth;
#pragma unroll
    for (int q = 0; q < tile * chunks / tile_threads; ++q) {
      const int part = q * tile_threads + thread;
      const int line = part / chunks, chunk = part % chunks;
      const Index row = first_row + line, column = inner + 2 * chunk;
      const Index there = row < p.m ? p.k - column : 0;
      copy_chunk(stage + place_of(line, chunk), there > 0 ? p.a + row * p.lda + column : p.a,
                 there);
    }
#pragma unroll
    for (int q = 0; q < tile * chunks / tile_threads; ++q) {
      const int part = q * tile_threads + thread;
      const int line = part / (tile / 2), within = part % (tile / 2);
      const Index row = inner + line, column = first_column + 2 * within;
      const Index there = row < p.k ? p.n - column : 0;
      copy_chunk(stage + tile * line_bytes +
                     static_cast<unsigned>(within / chunks * depth * line_bytes) +
                     place_of(line, within % chunks),
                 there > 0 ? p.b + row * p.ldb + column : p.b, there);
    }
  };
  for (int step = 0; step < stages - 1; ++step) {
    if (step < steps) fetch(step);
    commit_copies();
  }

  const int warp_row = warp / 2 * warp_tile, warp_column = warp % 2 * warp_tile;
  double sums[groups][strips][4] = {};
  // visit(place, whether two elements of C are there, the one, the other) for this lane's pairs.
  const auto for_each_pair = [&](auto&& visit) {
#pragma unroll
    for (int j = 0; j < groups; ++j) {
#pragma unroll
      for (int i = 0; i < strips; ++i) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const Index row = first_row + warp_row + i * 8 + t + 4 * half;
          const Index column = first_column + warp_column + j * 16 + 2 * g;
          if (row >= p.m || column >= p.n) continue;
          visit(p.c + row * p.ldc + column, column + 1 < p.n, sums[j][i][half],
                sums[j][i][2 + half]);
        }
      }
    }
  };
  if (!forms) {
    for_each_pair([](const double* there, bool two, double& one, double& other) {
      if (two) {
        const double2 before = *reinterpret_cast<const double2*>(there);
        one = -before.x;
        other = -before.y;
      } else {
        one = -*there;
      }
    });
  }

  for (int step = 0; step < steps; ++step) {
    wait_for_copies<stages - 2>();
    __syncthreads();
    if (step + stages - 1 < steps) fetch(step + stages - 1);
    commit_copies();
    const unsigned stage = base + static_cast<unsigned>(step % stages * stage_bytes(tile));
#pragma unroll
    for (int part = 0; part < 2; ++part) {
      double a[strips][2], b[groups][4];
#pragma unroll
      for (int i = 0; i < strips; ++i) {
        const double2 pair = pair_of(stage + place_of(warp_row + i * 8 + row_of_g, 4 * part + t));
        a[i][0] = pair.x;
        a[i][1] = pair.y;
      }
#pragma unroll
      for (int j = 0; j < groups; ++j) {
        const unsigned there = stage + tile * line_bytes +
                               static_cast<unsigned>((warp_column / 16 + j) * depth * line_bytes);
        const double2 upper = pair_of(there + place_of(8 * part + 2 * t, g));
        const double2 lower = pair_of(there + place_of(8 * part + 2 * t + 1, g));
        b[j][0] = upper.x;
        b[j][1] = upper.y;
        b[j][2] = lower.x;
        b[j][3] = lower.y;
      }
#pragma unroll
      for (int j = 0; j < groups; ++j) {
#pragma unroll
        for (int i = 0; i < strips; ++i) multiply_add(b[j], a[i], sums[j][i]);
      }
    }
  }

  for_each_pair([](double* there, bool two, double one, double other) {
    constexpr double sign = forms ? 1 : -1;
    if (two) {
      *reinterpret_cast<double2*>(there) = {sign * one, sign * other};
    } else {
      *there = sign * one;
    }
  });
}

template <int tile, bool forms>
bool launch(const ProductOfDoubles& p, cudaStream_t stream) {
  constexpr int bytes = stages * stage_bytes(tile);
  static const bool can = [] {
    cudaFuncAttributes compiled{};
    CUDA_CHECK(cudaFuncGetAttributes(&compiled, multiply_tile<tile, forms>));
    CUDA_CHECK(cudaFuncSetAttribute(multiply_tile<tile, forms>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    return compiled.ptxVersion >= 90;
  }();
  if (!can) return false;
  launch_programmatic(multiply_tile<tile, forms>,
                      dim3(grid_for(p.n, tile), static_cast<unsigned>((p.m + tile - 1) / tile)),
                      tile_threads, bytes, true, stream, p);
  check_launch("multiply_tile");
  return true;
}

}  // namespace

bool multiply_by_tiles(const ProductOfDoubles& p, bool forms, cudaStream_t stream) {
  const auto whole = [](const double* start, Index stride) {
    return reinterpret_cast<std::uintptr_t>(start) % 16 == 0 && stride % 2 == 0;
  };
  constexpr Index most_tiles = 65535;  // in the second dimension of a grid
  if (p.flops() > most_flops_of_tiles || p.m > 32 * most_tiles || !whole(p.a, p.lda) ||
      !whole(p.b, p.ldb) || !whole(p.c, p.ldc)) {
    return false;
  }
  // Small tiles where there are few: all multiprocessors work then.
  constexpr Index few = 400;
  const bool small = ((p.m + 63) / 64) * ((p.n + 63) / 64) < few;
  if (small) return forms ? launch<32, true>(p, stream) : launch<32, false>(p, stream);
  return forms ? launch<64, true>(p, stream) : launch<64, false>(p, stream);
}

}  // namespace spsolve::cuda::dense
