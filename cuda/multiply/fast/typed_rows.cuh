#pragma once

#include <algorithm>
#include <cstdint>

#include "cuda/core/launch.cuh"
#include "cuda/core/packed.cuh"
#include "cuda/multiply/fast/typed_rows.hpp"

namespace spsolve::cuda::inline multiply {

/// add(a_ij, x_j) for the elements of row i in their order; load(distance, x) reads `pack` columns
/// of row i + distance of X. Several are loaded before the first is added.
template <int pack, typename T, typename Load, typename Add>
__device__ void over_typed_row(const TypedView<T>& a, Index i, const Load& load, const Add& add) {
  constexpr int in_flight = 5;
  const int type = a.row_types[i];
  Index j = a.offsets[type];
  const Index end = a.offsets[type + 1];
  for (; j + in_flight <= end; j += in_flight) {
    T loaded[in_flight][pack];
#pragma unroll
    for (int u = 0; u < in_flight; ++u) load(a.distances[j + u], loaded[u]);
#pragma unroll
    for (int u = 0; u < in_flight; ++u) add(a.values[j + u], loaded[u]);
  }
  // The rest two at a time, as 7-point stencils leave them: more would cost registers.
  for (; j + 2 <= end; j += 2) {
    T first[pack], second[pack];
    load(a.distances[j], first);
    load(a.distances[j + 1], second);
    add(a.values[j], first);
    add(a.values[j + 1], second);
  }
  if (j < end) {
    T last[pack];
    load(a.distances[j], last);
    add(a.values[j], last);
  }
}

/// How the threads of blocks share rows of packs of columns: a thread has one pack of up to `depth`
/// rows, `stride` apart, and a block `width` neighbours of each of them.
struct RowWalk {
  static constexpr int threads = 256;

  Index rows, stride;
  unsigned packs;   // of a row
  unsigned lanes;   // threads next to each other on packs of one row
  unsigned width;   // rows next to each other
  unsigned across;  // blocks that have rows of one stride
  unsigned depth;
  dim3 grid;

  /// For `columns` columns in packs of `pack`. Where X and Y fit into the cache that all
  /// multiprocessors share, more threads of one row each are faster; else strides are the reach of
  /// most rows, or where that is no more than some widths, rows follow on each other.
  template <typename T>
  static RowWalk over(const TypedView<T>& a, Index columns, int pack) {
    constexpr Index shared_cache = 48 << 20;  // bytes, of large GPUs
    constexpr Index most_depth = 8, least_widths = 4;
    RowWalk walk{};
    walk.rows = a.rows;
    walk.packs = static_cast<unsigned>(columns / pack);
    walk.lanes = std::min<unsigned>(walk.packs, threads);
    walk.width = threads / walk.lanes;
    const bool fits = 2 * a.rows * columns * static_cast<Index>(sizeof(T)) <= shared_cache;
    const bool far = !fits && a.reach >= least_widths * walk.width && a.reach < a.rows;
    walk.depth = fits ? 1 : most_depth;
    walk.stride = far ? a.reach : walk.width;
    walk.across = grid_for(walk.stride, walk.width);
    const Index strides = (a.rows + walk.stride - 1) / walk.stride;
    walk.grid = dim3(walk.across * grid_for(strides, walk.depth), grid_for(walk.packs, threads));
    return walk;
  }
};

/// Calls work(row, pack) for the packs of columns that are this thread's: always of one place in
/// their rows.
template <typename Work>
__device__ void over_packs(const RowWalk& walk, const Work& work) {
  const unsigned beside = threadIdx.x / walk.lanes, pack = threadIdx.x - beside * walk.lanes;
  const unsigned down = blockIdx.x / walk.across, block = blockIdx.x - down * walk.across;
  const Index place = static_cast<Index>(block) * walk.width + beside;
  const unsigned column = blockIdx.y * RowWalk::threads + pack;
  if (beside >= walk.width || place >= walk.stride || column >= walk.packs) return;
  Index row = static_cast<Index>(down) * walk.depth * walk.stride + place;
#pragma unroll 1
  for (unsigned step = 0; step < walk.depth && row < walk.rows; ++step, row += walk.stride) {
    work(row, static_cast<Index>(column));
  }
}

}  // namespace spsolve::cuda::multiply
