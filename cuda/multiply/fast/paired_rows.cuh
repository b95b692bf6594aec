#pragma once

// How products with complex numbers that are stored once go through rows.

#include "cuda/core/launch.cuh"
#include "cuda/core/packed.cuh"
#include "cuda/multiply/fast/paired_rows.hpp"

namespace spsolve::cuda::inline multiply {

/// `columns` lanes of a warp, a power of two, are on packs of columns of X, the others on rows.
struct PairedWalk {
  static constexpr int threads = 256;

  int columns;
  bool together;  ///< both parts of an element of X are loaded at once
  dim3 grid;

  /// For K columns in packs, of X in up to two arrays.
  template <typename T>
  static PairedWalk over(const PairedView<T>& a, Index k, int pack, const T* x,
                         const T* others = nullptr) {
    const Index packs = k / pack;
    constexpr std::size_t pair = 2 * sizeof(T);
    const bool together = k == 1 && rows_aligned(x, 2, pair) && rows_aligned(others, 2, pair);
    PairedWalk walk{1, together, {}};
    while (walk.columns < packs && walk.columns < warp_size) walk.columns *= 2;
    walk.grid = dim3(grid_for(a.rows * walk.columns, threads), grid_for(packs, walk.columns));
    return walk;
  }
};

/// Real and imaginary parts of so many columns.
template <typename T, int pack>
struct PairOfRows {
  T re[pack], im[pack];
};

/// Parts that lie K elements apart.
template <int pack, typename T>
__device__ PairOfRows<T, pack> load_pair(const T* row, Index k, const PairedWalk& walk) {
  PairOfRows<T, pack> loaded;
  if (pack == 1 && walk.together) {
    Packed<T, 2> both;
    load_packed(row, both);
    loaded.re[0] = both.elements[0];
    loaded.im[0] = both.elements[1];
  } else {
    load_columns<pack, true>(row, loaded.re);
    load_columns<pack, true>(row + k, loaded.im);
  }
  return loaded;
}

/// add(re a_ij, im a_ij, x_j) for the numbers of row i; load(j) hands back x_j. Numbers are loaded
/// side by side.
template <typename T, typename Load, typename Add>
__device__ void over_paired_row(const PairedView<T>& a, Index i, const Load& load, const Add& add) {
  constexpr int batch = 4;
  constexpr Index slice = PairedRows<T>::slice;
  const Index begin = __ldg(a.offsets + i / slice) + i % slice;
  const Index end = __ldg(a.offsets + i / slice + 1);
  using Loaded = decltype(load(LocalIndex(0)));
  for (Index at = begin; at < end; at += batch * slice) {
    LocalIndex columns[batch];
    Packed<T, 2> values[batch];
    Loaded loaded[batch];
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      const Index place = at + b * slice;
      columns[b] = place < end ? __ldcs(a.columns + place) : -1;
      values[b] = {};
      if (place < end) load_packed(a.values + 2 * place, values[b]);
    }
#pragma unroll
    for (int b = 0; b < batch; ++b) loaded[b] = columns[b] < 0 ? Loaded{} : load(columns[b]);
#pragma unroll
    for (int b = 0; b < batch; ++b) add(values[b].elements[0], values[b].elements[1], loaded[b]);
  }
}

/// Calls visit(i, column) for the packs of all rows.
template <int pack, typename T, typename Visit>
__device__ void over_paired_rows(const PairedView<T>& a, const PairedWalk& walk, Index k,
                                 const Visit& visit) {
  const int lane = static_cast<int>(threadIdx.x) % walk.columns;
  const Index column = (static_cast<Index>(blockIdx.y) * walk.columns + lane) * pack;
  if (column >= k) return;
  for (Index i = thread_index() / walk.columns; i < a.rows; i += thread_count() / walk.columns) {
    visit(i, column);
  }
}

}  // namespace spsolve::cuda::multiply
