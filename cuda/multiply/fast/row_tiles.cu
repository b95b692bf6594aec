#include "cuda/core/launch.cuh"
#include "cuda/core/nvtx.hpp"
#include "cuda/core/packed.cuh"
#include "cuda/core/programmatic_launch.cuh"
#include "cuda/multiply/fast/row_tiles.hpp"

namespace spsolve::cuda::inline multiply {

namespace {

constexpr int block = 128;
constexpr int warps = block / warp_size;

template <typename T>
struct TileView {
  const RowTile* tiles;
  const std::uint16_t* row_ends;
  const std::uint16_t* wide_rows;
  const LocalIndex* column_indices;
  const T* values;
  const LocalIndex* pieces;  ///< by cut row: its first piece
  T* piece_sums;
  unsigned* arrived;
};

/// products[c * pitch + k]: one more than the tile, so that columns begin in different banks.
constexpr int pitch = static_cast<int>(tile_nonzeros) + 1;

/// Sums of `count` columns over the whole block, in out[0], ..., out[count - 1] for every thread.
template <int count, typename T>
__device__ void sum_of_block(T (&sums)[count], T* shared) {
#pragma unroll
  for (int c = 0; c < count; ++c) {
    sums[c] = sum_of_group<warp_size>(sums[c]);
    if (threadIdx.x % warp_size == 0) shared[threadIdx.x / warp_size * count + c] = sums[c];
  }
  __syncthreads();
#pragma unroll
  for (int c = 0; c < count; ++c) {
    sums[c] = shared[c];
#pragma unroll
    for (int warp = 1; warp < warps; ++warp) sums[c] += shared[warp * count + c];
  }
  __syncthreads();  // before `shared` is used again
}

/// Keeps the sums of a piece. The block that comes last of those of a row adds up all its pieces:
/// in their order, so that it does not matter which block that is.
template <int count, typename T>
__device__ void finish_piece(const TileView<T>& a, const RowTile& tile, T (&sums)[count], T* shared,
                             T* to, Index columns, Index first_column) {
  const LocalIndex first = a.pieces[tile.first_wide], end = a.pieces[tile.first_wide + 1];
  T* const all = a.piece_sums + first_column;
  sum_of_block(sums, shared);
  if (threadIdx.x == 0) {
#pragma unroll
    for (int c = 0; c < count; ++c) all[tile.place * columns + c] = sums[c];
  }
  if (!is_last_block(a.arrived + tile.first_wide, static_cast<unsigned>(end - first))) return;
#pragma unroll
  for (int c = 0; c < count; ++c) {
    sums[c] = T{};
    for (LocalIndex piece = first + static_cast<LocalIndex>(threadIdx.x); piece < end;
         piece += block) {
      sums[c] += __ldcg(all + piece * columns + c);
    }
  }
  sum_of_block(sums, shared);
  if (threadIdx.x > 0) return;
#pragma unroll
  for (int c = 0; c < count; ++c) to[c] = sums[c];
}

/// A block per tile. x and y point to the first of `count` columns of all `columns`, which is
/// `first_column`.
template <int count, bool packed, typename T>
__global__ void __launch_bounds__(block)
    tiles_kernel(TileView<T> a, const T* __restrict__ x, T* __restrict__ y, Index columns,
                 Index first_column) {
  constexpr int in_flight = count <= 2 ? 8 : 4;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  T* const products = reinterpret_cast<T*>(shared_bytes);
  // Ends of rows and places of wide rows wait for nobody here; read one by one from global memory
  // they would cost a latency each. Not more than tile_nonzeros / tile_short_row rows are wide.
  __shared__ std::uint16_t ends[tile_rows + 1], wide_rows[tile_nonzeros / tile_short_row];
  const RowTile tile = a.tiles[blockIdx.x];
  const bool piece = tile.rows == 0;
  const LocalIndex* const indices = a.column_indices + tile.first;
  const T* const values = a.values + tile.first;
  for (int row = threadIdx.x; row < tile.rows; row += block) {
    ends[row + 1] = a.row_ends[tile.first_row + row];
  }
  if (!piece && static_cast<int>(threadIdx.x) < tile.place) {
    wide_rows[threadIdx.x] = a.wide_rows[tile.first_wide + threadIdx.x];
  }
  if (threadIdx.x == 0) ends[0] = 0;
  wait_for_previous_launch();
  T sums[count]{};
  for (int k = threadIdx.x; k < tile.nonzeros; k += block * in_flight) {
    LocalIndex column[in_flight];
    T value[in_flight], loaded[in_flight][count];
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      const bool active = k + u * block < tile.nonzeros;
      column[u] = active ? __ldcs(indices + k + u * block) : -1;
      value[u] = active ? __ldcs(values + k + u * block) : T{};
    }
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      if (column[u] >= 0) {
        load_columns<count, packed>(x + column[u] * columns, loaded[u]);
      } else {
#pragma unroll
        for (int c = 0; c < count; ++c) loaded[u][c] = T{};
      }
    }
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
#pragma unroll
      for (int c = 0; c < count; ++c) {
        const T product = value[u] * loaded[u][c];
        if (piece) {
          sums[c] += product;
        } else if (k + u * block < tile.nonzeros) {
          products[c * pitch + k + u * block] = product;
        }
      }
    }
  }
  trigger_next_launch();
  if (piece) {
    finish_piece(a, tile, sums, products, y + tile.first_row * columns, columns, first_column);
    return;
  }
  __syncthreads();
  T* const to = y + tile.first_row * columns;
  for (int e = threadIdx.x; e < tile.rows * count; e += block) {
    const int row = e / count, c = e % count;
    const int start = ends[row], end = ends[row + 1];
    if (end - start > tile_short_row) continue;
    T sum{};
#pragma unroll 4
    for (int k = start; k < end; ++k) sum += products[c * pitch + k];
    to[row * columns + c] = sum;
  }
  // Whole warps take part in the sums of groups of lanes.
  constexpr int width = 8, groups = block / width;
  const int lane = threadIdx.x % width, wide = tile.place * count;
  for (int first = 0; first < wide; first += groups) {
    const int e = first + static_cast<int>(threadIdx.x) / width;
    const int row = e < wide ? wide_rows[e / count] : 0, c = e % count;
    const int start = e < wide ? ends[row] : 0, end = e < wide ? ends[row + 1] : 0;
    T sum{};
#pragma unroll 4
    for (int k = start + lane; k < end; k += width) sum += products[c * pitch + k];
    sum = sum_of_group<width>(sum);
    if (lane == 0 && e < wide) to[row * columns + c] = sum;
  }
}

template <int count, typename T>
void launch_tiles(RowTiles<T>& a, const T* x, T* y, Index columns, Index first) {
  constexpr int bytes = count * pitch * static_cast<int>(sizeof(T));
  static_assert(bytes <= 48 << 10);
  const TileView<T> view{a.tiles.data(),          a.row_ends.data(), a.wide_rows.data(),
                         a.column_indices.data(), a.values.data(),   a.cut.pieces.data(),
                         a.cut.sums.data(),       a.arrived.data()};
  const unsigned grid = static_cast<unsigned>(a.tiles.size());
  const auto kernel = rows_aligned(x + first, columns, sizeof(T) * pack_of<T, count>)
                          ? tiles_kernel<count, true, T>
                          : tiles_kernel<count, false, T>;
  launch_programmatic(kernel, grid, block, bytes, true, current_stream(), view, x + first,
                      y + first, columns, first);
}

}  // namespace

template <typename T>
void csr_tiles(RowTiles<T>& a, const T* x, T* y, Index columns) {
  if (a.tiles.size() == 0) return;
  const NvtxRange range("csr_tiles");
  a.cut.sums.grow(a.cut.count * columns);
  for (Index c = 0; c < columns;) {
    const Index left = columns - c;
    if (left >= 4) {
      launch_tiles<4>(a, x, y, columns, c);
      c += 4;
    } else if (left == 3) {
      launch_tiles<3>(a, x, y, columns, c);
      c += 3;
    } else if (left == 2) {
      launch_tiles<2>(a, x, y, columns, c);
      c += 2;
    } else {
      launch_tiles<1>(a, x, y, columns, c);
      c += 1;
    }
  }
}

SPSOLVE_INSTANTIATE_FUNCTION(csr_tiles)

}  // namespace spsolve::cuda::multiply
