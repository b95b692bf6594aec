#include "cuda/core/launch.cuh"
#include "cuda/core/tiles/bulk_copy.cuh"
#include "cuda/core/tiles/tensor_cores.cuh"
#include "cuda/core/tiles/tensor_map.hpp"
#include "cuda/dense/products/large_products.hpp"

namespace spsolve::cuda::inline dense {

namespace {

/// Flops, and inner dimension, of the smallest product that is faster than the library's.
constexpr double fewest_flops = 5e10;
constexpr Index least_depth = 128;

constexpr int tile = 128;  // rows and columns of C
constexpr int warp_rows = 64, warp_columns = 32;
constexpr int warps_across = tile / warp_columns;
constexpr int warps = tile / warp_rows * warps_across;
constexpr int block_threads = warps * warp_size;
constexpr int strips = warp_rows / 8;      // of a warp's tile: 8 rows
constexpr int groups = warp_columns / 16;  // and 16 columns, of one tensor instruction
constexpr int stages = 3;                  // of A and B under way
constexpr int depth = line_values;         // of a stage: columns of A, rows of B
constexpr int lines = tile / line_values;  // of a row of C or B
constexpr int line_bytes = line_values * 8;
constexpr int a_bytes = tile * line_bytes;
constexpr int stage_bytes = a_bytes + lines * depth * line_bytes;
constexpr int c_bytes = lines * tile * line_bytes;
constexpr int c_step = 2;  // of a tile, in which its C is fetched

/// C is a grid of tiles, in the order of bands of so many columns of tiles, row by row: tiles that
/// are worked on at the same time share rows of A and columns of B in the L2 cache.
constexpr int band_columns = 12;

struct TileGrid {
  int rows, columns;

  __host__ __device__ int count() const { return rows * columns; }
  __device__ int2 place(int number) const {
    const int band = number / (band_columns * rows), within = number - band * band_columns * rows;
    const int width = min(band_columns, columns - band * band_columns);
    return {within / width, band * band_columns + within % width};
  }
};

struct LargeProduct {
  double* c;
  Index ldc;
  int m, n;
  int steps;  // stages of a tile
  TileGrid grid;
};

/// A block's shared memory: stages of A and B, its tile of C, and barriers where a stage is full
/// and read, and where C is there.
struct SharedPlaces {
  unsigned stage, c;
  std::uint64_t *full, *read, *c_full;
};
constexpr int shared_bytes = stages * stage_bytes + c_bytes + 8 * (2 * stages + 1);

__device__ SharedPlaces begin_shared() {
  extern __shared__ __align__(1024) unsigned char memory[];
  unsigned char* const c = memory + stages * stage_bytes;
  auto* const barriers = reinterpret_cast<std::uint64_t*>(c + c_bytes);
  const SharedPlaces places{shared_address(memory), shared_address(c), barriers, barriers + stages,
                            barriers + 2 * stages};
  if (threadIdx.x == 0) {
    for (int i = 0; i < stages; ++i) {
      init_barrier(places.full + i, 1);
      init_barrier(places.read + i, warps);
    }
    init_barrier(places.c_full, 1);
    publish_barriers();
  }
  __syncthreads();
  return places;
}

/// A tile of C by a block, as the transposed one, as in product_tiles.cu: a warp's tile is strips x
/// groups of 8 x 16. C comes to shared memory while A B is summed in registers.
__global__ void __launch_bounds__(block_threads, 1)
    subtract_large(const __grid_constant__ CUtensorMap a_map,
                   const __grid_constant__ CUtensorMap b_map,
                   const __grid_constant__ CUtensorMap c_map, LargeProduct p) {
  const SharedPlaces shared = begin_shared();
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int g = lane / 4, t = lane % 4;
  const int row_of_g = g / 2 + g % 2 * 4;
  const int warp_row = warp / warps_across, warp_column = warp % warps_across;
  const int2 place = p.grid.place(static_cast<int>(blockIdx.x));

  const auto fetch = [&](int stage, int step) {
    const unsigned to = shared.stage + stage * stage_bytes;
    expect_bytes(shared.full + stage, stage_bytes);
    copy_box(to, &a_map, step * depth, place.x * tile, shared.full + stage);
    copy_lines(to + a_bytes, &b_map, step * depth, place.y * lines, shared.full + stage);
  };
  if (threadIdx.x == 0) {
    for (int step = 0; step < stages - 1; ++step) fetch(step, step);
  }
  __syncwarp();

  // Places of this lane's operands in a stage: of A row row_of_g, chunk t (with the bit of 64 bytes
  // turned, t + 4); of B rows 2 t and 2 t + 1, chunk g.
  const unsigned a_place = (warp_row * warp_rows + row_of_g) * line_bytes + ((t ^ row_of_g) * 16);
  const unsigned b_place = a_bytes + warp_column * groups * depth * line_bytes +
                           2 * t * line_bytes + ((g ^ (2 * t)) * 16);
  const unsigned b_below = line_bytes + ((g ^ (2 * t + 1)) - (g ^ (2 * t))) * 16;
  double sums[groups][strips][4] = {};
  double b[groups][4], a[2][strips][2];
  const auto read_a = [](double(&to)[2], unsigned from) {
    const double2 pair = pair_of(from);
    to[0] = pair.x;
    to[1] = pair.y;
  };
  const auto read_b = [&](double(&to)[4], unsigned from) {
    const double2 upper = pair_of(from), lower = pair_of(from + b_below);
    to[0] = upper.x;
    to[1] = upper.y;
    to[2] = lower.x;
    to[3] = lower.y;
  };
  wait_at(shared.full, 0);
#pragma unroll
  for (int j = 0; j < groups; ++j) {
    read_b(b[j], shared.stage + b_place + j * depth * line_bytes);
  }
#pragma unroll
  for (int i = 0; i < strips; ++i) {
    read_a(a[0][i], shared.stage + a_place + i * 8 * line_bytes);
  }

  int stage = 0;
  unsigned parity = 0;  // of the round through the stages
#pragma unroll 1
  for (int step = 0; step < p.steps; ++step) {
    const bool wraps = stage + 1 == stages;
    const int next_stage = wraps ? 0 : stage + 1;
    const unsigned next_parity = parity ^ static_cast<unsigned>(wraps);
    const bool more = step + 1 < p.steps;
    const unsigned now = shared.stage + stage * stage_bytes;
    const unsigned next = more ? shared.stage + next_stage * stage_bytes : now;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const unsigned next_a = half == 0 ? now + (a_place ^ 64) : next + a_place;
      const unsigned next_b = (half == 0 ? now + 8 * line_bytes : next) + b_place;
      if (half == 1) {
        // The warps take turns in fetching what stands where the stage before this one was.
        if (warp == step % warps && lane == 0) {
          const int ahead = step + stages - 1;
          if (ahead < p.steps) {
            const int to = stage == 0 ? stages - 1 : stage - 1;
            wait_at(shared.read + to, stage == 0 ? parity ^ 1 : parity);
            fetch(to, ahead);
          }
          if (step == c_step) {
            expect_bytes(shared.c_full, c_bytes);
            copy_lines(shared.c, &c_map, place.x * tile, place.y * lines, shared.c_full);
          }
        }
        __syncwarp();
        if (more) wait_at(shared.full + next_stage, next_parity);
      }
#pragma unroll
      for (int i = 0; i < strips; ++i) read_a(a[half ^ 1][i], next_a + i * 8 * line_bytes);
#pragma unroll
      for (int j = 0; j < groups; ++j) {
#pragma unroll
        for (int i = 0; i < strips; ++i) multiply_add(b[j], a[half][i], sums[j][i]);
        read_b(b[j], next_b + j * depth * line_bytes);
      }
      if (half == 1) {
        __syncwarp();
        if (lane == 0) arrive(shared.read + stage);
      }
    }
    stage = next_stage;
    parity = next_parity;
  }

  wait_at(shared.c_full, 0);
#pragma unroll
  for (int i = 0; i < strips; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int line_row = t + 4 * half;  // mod 8, the number of its line
      const int within = warp_row * warp_rows + i * 8 + line_row;
      const int row = place.x * tile + within;
      if (row >= p.m) continue;
#pragma unroll
      for (int j = 0; j < groups; ++j) {
        const int line = warp_column * groups + j;
        const double2 before =
            pair_of(shared.c + (line * tile + within) * line_bytes + ((g ^ line_row) * 16));
        const int column = place.y * tile + line * line_values + 2 * g;
        double* const to = p.c + row * p.ldc + column;
        const double one = before.x - sums[j][i][half], other = before.y - sums[j][i][2 + half];
        if (column + 1 < p.n) {
          *reinterpret_cast<double2*>(to) = {one, other};
        } else if (column < p.n) {
          *to = one;
        }
      }
    }
  }
}

/// Whether this GPU, and what this was compiled for, have all that it needs.
bool can_subtract() {
  static const bool can = [] {
    cudaFuncAttributes compiled{};
    CUDA_CHECK(cudaFuncGetAttributes(&compiled, subtract_large));
    int device = 0, major = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    if (compiled.ptxVersion < 90 || major != 9) return false;
    CUDA_CHECK(cudaFuncSetAttribute(subtract_large, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    shared_bytes));
    return true;
  }();
  return can;
}

}  // namespace

bool subtract_large_product(const ProductOfDoubles& p, cudaStream_t stream) {
  const auto in_lines = [](const double* start, Index stride) {
    return reinterpret_cast<std::uintptr_t>(start) % line_bytes == 0 && stride % line_values == 0;
  };
  constexpr Index most = std::numeric_limits<int>::max() / 2;
  const Index row_tiles = (p.m + tile - 1) / tile, column_tiles = (p.n + tile - 1) / tile;
  if (p.flops() < fewest_flops || p.k < least_depth || p.m > most || p.n > most || p.k > most ||
      row_tiles * column_tiles > most || reinterpret_cast<std::uintptr_t>(p.a) % 16 != 0 ||
      p.lda % 2 != 0 || !in_lines(p.b, p.ldb) || !in_lines(p.c, p.ldc) || !can_subtract()) {
    return false;
  }
  const auto a = map_of_lines({p.a, p.lda, p.m, p.k}, tile);
  const auto b = map_of_columns({p.b, p.ldb, p.k, p.n}, depth, lines);
  const auto c = map_of_columns({p.c, p.ldc, p.m, p.n}, tile, lines);
  if (!a || !b || !c) return false;
  const TileGrid grid{static_cast<int>(row_tiles), static_cast<int>(column_tiles)};
  const LargeProduct product{p.c,
                             p.ldc,
                             static_cast<int>(p.m),
                             static_cast<int>(p.n),
                             static_cast<int>((p.k + depth - 1) / depth),
                             grid};
  subtract_large<<<static_cast<unsigned>(grid.count()), block_threads, shared_bytes, stream>>>(
      *a, *b, *c, product);
  check_launch("subtract_large");
  return true;
}

}  // namespace spsolve::cuda::dense
