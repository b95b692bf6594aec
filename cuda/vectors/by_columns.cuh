#pragma once

// How kernels that work on height x K arrays by elements are launched, and go through their rows.

#include <algorithm>
#include <type_traits>

#include "cuda/core/programmatic_launch.cuh"
#include "cuda/vectors/columns.cuh"

namespace spsolve::cuda::inline vectors {

/// Rows that a thread goes through where there are enough.
inline constexpr int rows_of_thread = 4;

/// Calls work(i, place) for every pack of the rows: each thread keeps to one place in the row, so
/// that there is one division, and what belongs to a column is loaded once.
template <typename Work>
__device__ void for_packs(Index height, int per_row, const Work& work) {
  const int rows = threads / per_row;
  const int row = static_cast<int>(threadIdx.x) / per_row;
  const int place = static_cast<int>(threadIdx.x) - row * per_row;
  if (row >= rows) return;
#pragma unroll rows_of_thread
  for (Index i = static_cast<Index>(blockIdx.x) * rows + row; i < height;
       i += static_cast<Index>(gridDim.x) * rows) {
    work(i, place);
  }
}

/// Calls launch(pack, first, packs, grid) for ranges of columns that one launch takes: `packs`
/// packs of `pack` columns from column `first` on.
template <typename Launch>
void by_columns(bool aligned, Index height, Index columns, const Launch& launch) {
  const auto with_pack = [&]<int pack>(std::integral_constant<int, pack> size) {
    for (Index first = 0; first < columns; first += most_columns) {
      const int packs = static_cast<int>(std::min<Index>(most_columns, columns - first)) / pack;
      launch(size, first, packs, grid_for(height, threads / packs * rows_of_thread));
    }
  };
  if (height == 0) return;
  if (aligned && columns % widest_pack == 0) {
    with_pack(std::integral_constant<int, widest_pack>{});
  } else {
    with_pack(std::integral_constant<int, 1>{});
  }
}

}  // namespace spsolve::cuda::vectors
