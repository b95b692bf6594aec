#pragma once

// Rows in slices or by type, of which a thread has whole ones, and rows of complex numbers.

#include "cuda/multiply/fast/paired_rows.cuh"
#include "cuda/multiply/fast/typed_rows.cuh"
#include "cuda/vectors/products/band_product_kernels.hpp"
#include "cuda/vectors/products/row_lanes.cuh"

namespace spsolve::cuda::inline vectors::row_forms {

using namespace row_lanes;

/// sum.add(a_ij, x_j) for the elements of row i of a slice, in batches that are loaded side by
/// side. The matrix passes by the caches, which are left to vectors.
template <typename X, typename Sum>
__device__ void sum_up_row(const BandSlicedView& a, Index i, const X& x, Sum& sum) {
  constexpr int batch = 8;
  const Index slice = i / warp_size;
  const Index first = __ldg(a.offsets + slice), last = __ldg(a.offsets + slice + 1);
  const LocalIndex* column = a.columns + first + i % warp_size;
  if (a.together > 1) {
    const auto row = static_cast<unsigned>(i), together = static_cast<unsigned>(a.together);
    const unsigned group = row / together - row / warp_size * warp_size / together;
    column = a.columns + first / warp_size * a.stride + group;
  }
  for (Index at = first + i % warp_size; at < last; at += batch * warp_size) {
    LocalIndex columns[batch];
    double values[batch], elements[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      const Index place = at + k * warp_size;
      columns[k] = place < last ? __ldcs(column + k * a.stride) : -1;
      values[k] = place < last ? __ldcs(a.values + place) : 0.0;
    }
    column += batch * a.stride;
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      elements[k] = columns[k] < 0 ? 0.0 : __ldg(row_of(x, columns[k], 1));
    }
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      const double element[1] = {elements[k]};
      sum.add(values[k], element);
    }
  }
}

/// Calls sum.add(a_ij, x_j) for the columns of one pack of a row by its type.
template <int pack, typename X, typename Sum>
__device__ void sum_up_typed(const TypedView<double>& a, Index i, const X& x, Index columns,
                             Index column, Sum& sum) {
  over_typed_row<pack>(
      a, i,
      [&](LocalIndex distance, double(&elements)[pack]) {
        load_columns<pack, true>(row_of(x, i + distance, columns) + column, elements);
      },
      [&](double value, const double(&elements)[pack]) { sum.add(value, elements); });
}

template <typename X, typename Sum>
__device__ void sum_up_row(const TypedView<double>& a, Index i, const X& x, Sum& sum) {
  sum_up_typed<1>(a, i, x, 1, 0, sum);
}

/// Calls launch(x) with x in two arrays, or in one where none of it is others'.
template <typename Launch>
void with_own_or_split(const LocalRowsView<const double>& x, const Launch& launch) {
  if (x.others == nullptr) {
    launch(OwnRows{x.own});
  } else {
    launch(x);
  }
}

/// Sums of one row of complex numbers for the columns of one pack: of the rows of its parts.
template <int pack, typename X, typename Sum>
__device__ void sum_up_pair(const PairedView<double>& a, const PairedWalk& walk, Index i,
                            const X& x, Index columns, Index column, Sum& re, Sum& im) {
  over_paired_row(
      a, i,
      [&](LocalIndex j) {
        return load_pair<pack>(row_of(x, 2 * static_cast<Index>(j), columns) + column, columns,
                               walk);
      },
      [&](double s, double t, const PairOfRows<double, pack>& of_x) {
        re.add(s, of_x.re);
        re.add(-t, of_x.im);
        im.add(a.sign * t, of_x.re);
        im.add(a.sign * s, of_x.im);
      });
}

/// Calls launch(form, x) with the rows by type, or in slices.
template <typename Launch>
void in_one_form(const RowsView& rows, const LocalRowsView<const double>& all,
                 const Launch& launch) {
  with_own_or_split(all, [&](const auto& x) {
    if (rows.typed != nullptr) {
      launch(*rows.typed, x);
    } else {
      launch(*rows.sliced, x);
    }
  });
}

}  // namespace spsolve::cuda::vectors::row_forms
