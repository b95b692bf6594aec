#include "cuda/core/programmatic_launch.cuh"
#include "cuda/multiply/fast/paired_rows.cuh"

namespace spsolve::cuda::inline multiply {

namespace {

template <int pack, typename T>
__global__ void __launch_bounds__(PairedWalk::threads)
    paired(PairedView<T> a, const T* __restrict__ x, T* __restrict__ y, Index k, PairedWalk walk) {
  trigger_and_wait();
  over_paired_rows<pack>(a, walk, k, [&](Index i, Index column) {
    PairOfRows<T, pack> sums{};
    over_paired_row(
        a, i, [&](LocalIndex j) { return load_pair<pack>(x + 2 * j * k + column, k, walk); },
        [&](T re, T im, const PairOfRows<T, pack>& of_x) {
#pragma unroll
          for (int c = 0; c < pack; ++c) {
            sums.re[c] += re * of_x.re[c];
            sums.re[c] -= im * of_x.im[c];
            sums.im[c] += im * of_x.re[c];
            sums.im[c] += re * of_x.im[c];
          }
        });
#pragma unroll
    for (int c = 0; c < pack; ++c) sums.im[c] *= a.sign;
    T* const to = y + 2 * i * k + column;
    store_columns<pack>(to, sums.re, pack > 1);
    store_columns<pack>(to + k, sums.im, pack > 1);
  });
}

template <int pack, typename T>
void launch_paired(const PairedView<T>& a, const T* x, T* y, Index columns) {
  const PairedWalk walk = PairedWalk::over(a, columns, pack, x);
  launch_programmatic(paired<pack, T>, walk.grid, PairedWalk::threads, 0, true, current_stream(), a,
                      x, y, columns, walk);
}

}  // namespace

template <typename T>
void paired_rows(const PairedRows<T>& a, const T* x, T* y, Index columns) {
  if (a.rows == 0 || columns == 0) return;
  const PairedView<T> view = a.view();
  constexpr int pack = full_pack<T>;
  if (rows_aligned(x, columns, 16) && rows_aligned(y, columns, 16)) {
    launch_paired<pack>(view, x, y, columns);
  } else {
    launch_paired<1>(view, x, y, columns);
  }
}

SPSOLVE_INSTANTIATE_FUNCTION(paired_rows)

}  // namespace spsolve::cuda::multiply
