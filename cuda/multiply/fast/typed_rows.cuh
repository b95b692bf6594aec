#pragma once

#include <cstdint>

#include "cuda/core/launch.cuh"
#include "cuda/core/packed.cuh"
#include "cuda/multiply/fast/typed_rows.hpp"

namespace spsolve::cuda {

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
  T loaded[in_flight - 1][pack];
#pragma unroll
  for (int u = 0; u < in_flight - 1; ++u) {
    if (j + u < end) load(a.distances[j + u], loaded[u]);
  }
#pragma unroll
  for (int u = 0; u < in_flight - 1; ++u) {
    if (j + u < end) add(a.values[j + u], loaded[u]);
  }
}

/// Calls work(row, pack) for the packs of columns that are this thread's, of `count` in all with
/// `packs` of each row. Place is wide enough for the number of packs: 32-bit divisions are several
/// times faster.
template <typename Place, typename Work>
__device__ void over_packs(Place packs, Place count, const Work& work) {
  const Place stride = static_cast<Place>(thread_count());
  for (Place e = static_cast<Place>(thread_index()); e < count; e += stride) {
    const Place row = packs == 1 ? e : e / packs;
    work(static_cast<Index>(row), static_cast<Index>(e - row * packs));
    if (count - e <= stride) break;  // e + stride may not fit into Place
  }
}

/// Calls launch(packs, count) with the packs of a row, and of all, in the type that over_packs()
/// wants.
template <typename Launch>
void with_places(Index rows, Index packs, const Launch& launch) {
  const Index count = rows * packs;
  if (count <= Index{0xffffffff}) {
    launch(static_cast<std::uint32_t>(packs), static_cast<std::uint32_t>(count));
  } else {
    launch(packs, count);
  }
}

}  // namespace spsolve::cuda
