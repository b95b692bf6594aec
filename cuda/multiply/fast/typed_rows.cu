#include "cuda/core/launch.cuh"
#include "cuda/core/nvtx.hpp"
#include "cuda/core/programmatic_launch.cuh"
#include "cuda/multiply/fast/typed_rows.cuh"

namespace spsolve::cuda::inline multiply {

namespace {

/// `pack` neighbouring columns of some rows to a thread.
template <int pack, typename T>
__global__ void __launch_bounds__(RowWalk::threads)
    typed(TypedView<T> a, const T* __restrict__ x, T* __restrict__ y, Index columns, RowWalk walk) {
  trigger_and_wait();
  over_packs(walk, [&](Index row, Index p) {
    const Index at = row * columns + p * pack;
    T sums[pack]{};
    over_typed_row<pack>(
        a, row,
        [&](LocalIndex distance, T(&loaded)[pack]) {
          load_columns<pack, true>(x + at + distance * columns, loaded);
        },
        [&](T value, const T(&loaded)[pack]) {
#pragma unroll
          for (int c = 0; c < pack; ++c) sums[c] += value * loaded[c];
        });
    store_columns<pack>(y + at, sums, true);
  });
}

template <int pack, typename T>
void launch_typed(const TypedView<T>& a, const T* x, T* y, Index columns) {
  const RowWalk walk = RowWalk::over(a, columns, pack);
  launch_programmatic(typed<pack, T>, walk.grid, RowWalk::threads, 0, true, current_stream(), a, x,
                      y, columns, walk);
}

}  // namespace

template <typename T>
void row_types(const TypedRows<T>& a, const T* x, T* y, Index columns) {
  if (a.rows == 0 || columns == 0) return;
  const NvtxRange range("row_types");
  const TypedView<T> view = a.view();
  constexpr int pack = full_pack<T>;
  if (rows_aligned(x, columns, 16) && rows_aligned(y, columns, 16)) {
    launch_typed<pack>(view, x, y, columns);
  } else {
    launch_typed<1>(view, x, y, columns);
  }
}

SPSOLVE_INSTANTIATE_FUNCTION(row_types)

}  // namespace spsolve::cuda::multiply
