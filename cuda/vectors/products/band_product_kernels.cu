#include <algorithm>
#include <cstdint>

#include "cuda/core/programmatic_launch.cuh"
#include "cuda/vectors/products/band_product_kernels.hpp"
#include "cuda/vectors/products/forms/row_forms.cuh"
#include "cuda/vectors/products/full_rows.cuh"
#include "cuda/vectors/products/row_lanes.cuh"
#include "cuda/vectors/products/row_sums.cuh"
#include "multiply/kernel/row_groups.hpp"

namespace spsolve::cuda::inline vectors {

using namespace row_forms;
using namespace row_lanes;
using namespace row_sums;

namespace {

template <int pack, typename Sum>
__global__ void __launch_bounds__(threads)
    multiply_kernel(CsrView<double> a, LocalRowsView<const double> x, LocalRowsView<double> y,
                    Index columns, Lanes lanes, CutRowsView<double> long_rows, Sum start) {
  wait_for_previous_launch();
  const LanePosition<pack> place(lanes, columns);
  const Index stride = thread_count() / warp_size * lanes.rows_of_warp();
  // All lanes of a warp take the same number of rounds.
  for (Index first = place.warp * lanes.rows_of_warp(); first < a.rows; first += stride) {
    const Index i = first + place.row;
    Sum sum = start;
    sum_up(a, i, x, columns, place, lanes, long_rows, sum);
    if (i < a.rows && place.has_result()) {
      sum.finish(i, place.column);
      store_columns(row_of(y, i, columns) + place.column, sum.values, pack > 1);
    }
  }
}

/// multiply_kernel with a group of rows in the place of a row: each x_j that is read goes to all of
/// its sums.
template <int most, int pack, typename Sum>
__global__ void __launch_bounds__(threads)
    multiply_groups_kernel(CsrView<double> a, GroupedView groups, LocalRowsView<const double> x,
                           LocalRowsView<double> y, Index columns, Lanes lanes, Sum start) {
  wait_for_previous_launch();
  const LanePosition<pack> place(lanes, columns);
  const Index stride = thread_count() / warp_size * lanes.rows_of_warp();
  for (Index first = place.warp * lanes.rows_of_warp(); first < groups.count; first += stride) {
    const Index g = first + place.row;
    const bool is_one = g < groups.count;
    const Index row = is_one ? groups.firsts[g] : 0;
    const int rows = is_one ? static_cast<int>(groups.firsts[g + 1] - row) : 0;
    const Index begin = is_one ? __ldg(a.row_offsets + row) : 0;
    const int length = is_one ? static_cast<int>(__ldg(a.row_offsets + row + 1) - begin) : 0;
    GroupSums<most, Sum> sums(start);
#pragma unroll 4
    for (int k = place.nonzero; k < length; k += lanes.nonzeros) {
      const Index from = begin + k;
      double element[pack];
      load_columns<pack, true>(row_of(x, __ldg(a.column_indices + from), columns) + place.column,
                               element);
#pragma unroll
      for (int q = 0; q < most; ++q) {
        if (q < rows) sums.of[q].add(__ldg(a.values + from + q * length), element);
      }
    }
#pragma unroll
    for (int q = 0; q < most; ++q) {
      Sum& sum = sums.of[q];
      for (int distance = lanes.of_row() / 2; distance >= lanes.columns; distance /= 2) {
        sum.include(sum.of_lane_behind(distance));
      }
      if (q < rows && place.has_result()) {
        sum.finish(row + q, place.column);
        store_columns(row_of(y, row + q, columns) + place.column, sum.values, pack > 1);
      }
    }
  }
}

/// multiply_kernel for rows that have all columns.
template <int pack, typename Sum>
__global__ void __launch_bounds__(threads)
    multiply_full_kernel(CsrView<double> a, const double* x, LocalRowsView<double> y, Index columns,
                         Lanes lanes, Sum start) {
  const LanePosition<pack> place(lanes, columns);
  constexpr int at_once = full_rows::rows_at_once;
  for (Index first = static_cast<Index>(blockIdx.x) * at_once; first < a.rows;
       first += static_cast<Index>(gridDim.x) * at_once) {
    full_rows::sum_up<pack, Sum>(
        a, first, x, columns, place, lanes, [&](Index, bool) { return start; },
        [&](Index i, Sum& sum) {
          sum.finish(i, place.column);
          store_columns(row_of(y, i, columns) + place.column, sum.values, pack > 1);
        });
  }
}

/// One column, and a thread for each row, in slices or by type.
template <typename Form, typename X, typename Sum>
__global__ void __launch_bounds__(threads)
    multiply_one_kernel(Form a, X x, LocalRowsView<double> y, Sum start) {
  wait_for_previous_launch();
  for (Index i = thread_index(); i < a.rows; i += thread_count()) {
    Sum sum = start;
    sum_up_row(a, i, x, sum);
    sum.finish(i, 0);
    *row_of(y, i, 1) = sum.values[0];
  }
}

/// A thread for a pack of columns of some rows.
template <int pack, typename X, typename Sum>
__global__ void __launch_bounds__(RowWalk::threads)
    multiply_typed_kernel(TypedView<double> a, X x, LocalRowsView<double> y, Index columns,
                          RowWalk walk, Sum start) {
  wait_for_previous_launch();
  over_packs(walk, [&](Index row, Index p) {
    const Index column = p * pack;
    Sum sum = start;
    sum_up_typed<pack>(a, row, x, columns, column, sum);
    sum.finish(row, column);
    store_columns(row_of(y, row, columns) + column, sum.values, pack > 1);
  });
}

template <int pack, typename Sum>
void multiply_typed(const TypedView<double>& a, const LocalRowsView<const double>& x,
                    const LocalRowsView<double>& y, Index columns, cudaStream_t stream,
                    const Sum& start) {
  const RowWalk walk = RowWalk::over(a, columns, pack);
  with_own_or_split(x, [&](const auto& rows) {
    using X = std::remove_cvref_t<decltype(rows)>;
    launch_programmatic(multiply_typed_kernel<pack, X, Sum>, walk.grid, RowWalk::threads, 0, true,
                        stream, a, rows, y, columns, walk, start);
  });
}

/// Rows of complex numbers, each of which is two rows of the product.
template <int pack, typename X, typename Sum>
__global__ void __launch_bounds__(PairedWalk::threads)
    multiply_paired_kernel(PairedView<double> a, X x, LocalRowsView<double> y, Index columns,
                           PairedWalk walk, Sum start) {
  wait_for_previous_launch();
  over_paired_rows<pack>(a, walk, columns, [&](Index i, Index column) {
    Sum re = start, im = start;
    sum_up_pair<pack>(a, walk, i, x, columns, column, re, im);
    re.finish(2 * i, column);
    im.finish(2 * i + 1, column);
    store_columns(row_of(y, 2 * i, columns) + column, re.values, pack > 1);
    store_columns(row_of(y, 2 * i + 1, columns) + column, im.values, pack > 1);
  });
}

template <int pack, typename Sum>
void multiply_paired(const PairedView<double>& a, const LocalRowsView<const double>& x,
                     const LocalRowsView<double>& y, Index columns, cudaStream_t stream,
                     const Sum& start) {
  const PairedWalk walk = PairedWalk::over(a, columns, pack, x.own, x.others);
  with_own_or_split(x, [&](const auto& rows) {
    using X = std::remove_cvref_t<decltype(rows)>;
    launch_programmatic(multiply_paired_kernel<pack, X, Sum>, walk.grid, PairedWalk::threads, 0,
                        true, stream, a, rows, y, columns, walk, start);
  });
}

/// Two of the widest packs of columns to a lane where there are such, and half a warp to a group at
/// most: more lanes for its non-zeros have less to do for each element of x, and sums to exchange.
template <template <int> typename Sum, int pack>
void multiply_groups(const CsrView<double>& a, const GroupedView& groups,
                     const LocalRowsView<const double>& x, const LocalRowsView<double>& y,
                     Index columns, cudaStream_t stream, const Sum<pack>& start) {
  const Index packs = columns / pack;
  Lanes lanes = lanes_for(a, packs);
  while (lanes.nonzeros > 1 && lanes.of_row() > warp_size / 2) lanes.nonzeros /= 2;
  static_assert(most_rows_in_group == 4);
  const auto kernel = groups.most == 2   ? multiply_groups_kernel<2, pack, Sum<pack>>
                      : groups.most == 3 ? multiply_groups_kernel<3, pack, Sum<pack>>
                                         : multiply_groups_kernel<4, pack, Sum<pack>>;
  const dim3 grid(grid_for(groups.count, warps * lanes.rows_of_warp()),
                  grid_for(packs, lanes.columns));
  launch_programmatic(kernel, grid, threads, 0, true, stream, a, groups, x, y, columns, lanes,
                      start);
}

template <template <int> typename Sum, typename... Arguments>
void multiply(const RowsView& rows, const LocalRowsView<const double>& x,
              const LocalRowsView<double>& y, Index columns, cudaStream_t stream,
              Arguments... arguments) {
  const CsrView<double>& a = rows.csr;
  if (a.rows == 0 || columns == 0) return;
  if (columns == 1 && rows.paired != nullptr) {
    return multiply_paired<1>(*rows.paired, x, y, columns, stream, Sum<1>{arguments...});
  }
  if (columns == 1 && (rows.typed != nullptr || rows.sliced != nullptr)) {
    in_one_form(rows, x, [&](const auto& form, const auto& of_x) {
      using Form = std::remove_cvref_t<decltype(form)>;
      using X = std::remove_cvref_t<decltype(of_x)>;
      launch_programmatic(multiply_one_kernel<Form, X, Sum<1>>, grid_for(a.rows, threads), threads,
                          0, true, stream, form, of_x, y, Sum<1>{arguments...});
    });
    return;
  }
  const bool aligned = aligned_to_packs(x.own, columns) && aligned_to_packs(x.others, columns) &&
                       aligned_to_packs(y.own, columns) && aligned_to_packs(y.others, columns);
  if (rows.typed != nullptr) {
    if (aligned) {
      multiply_typed<widest_pack>(*rows.typed, x, y, columns, stream,
                                  Sum<widest_pack>{arguments...});
    } else {
      multiply_typed<1>(*rows.typed, x, y, columns, stream, Sum<1>{arguments...});
    }
    return;
  }
  if (rows.paired != nullptr) {
    if (aligned) {
      multiply_paired<widest_pack>(*rows.paired, x, y, columns, stream,
                                   Sum<widest_pack>{arguments...});
    } else {
      multiply_paired<1>(*rows.paired, x, y, columns, stream, Sum<1>{arguments...});
    }
    return;
  }
  if (rows.groups != nullptr && columns > 1) {
    if (aligned && columns % (2 * widest_pack) == 0) {
      multiply_groups(a, *rows.groups, x, y, columns, stream, Sum<2 * widest_pack>{arguments...});
    } else if (aligned) {
      multiply_groups(a, *rows.groups, x, y, columns, stream, Sum<widest_pack>{arguments...});
    } else {
      multiply_groups(a, *rows.groups, x, y, columns, stream, Sum<1>{arguments...});
    }
    return;
  }
  if (rows.full) {
    const auto in_full_rows = [&]<int pack>(std::integral_constant<int, pack>) {
      const Lanes lanes = full_rows::lanes_for_full(columns / pack);
      multiply_full_kernel<pack>
          <<<full_rows::grid_for_full(a.rows, lanes, columns / pack), threads, 0, stream>>>(
              a, x.own, y, columns, lanes, Sum<pack>{arguments...});
    };
    aligned ? in_full_rows(std::integral_constant<int, widest_pack>{})
            : in_full_rows(std::integral_constant<int, 1>{});
    return check_launch("multiply_rows");
  }
  in_packs(a, aligned, columns,
           [&]<int pack>(std::integral_constant<int, pack>, const Lanes& lanes, dim3 grid) {
             const Sum<pack> start{arguments...};
             sum_pieces<pack>(a, x, columns, lanes, rows.long_rows, stream, start);
             launch_programmatic(multiply_kernel<pack, Sum<pack>>, grid, threads, 0, true, stream,
                                 a, x, y, columns, lanes, rows.long_rows, start);
           });
}

}  // namespace

void multiply_rows(const RowsView& a, const LocalRowsView<const double>& x,
                   const LocalRowsView<double>& y, Index columns, cudaStream_t stream) {
  multiply<PlainSum>(a, x, y, columns, stream);
}

void subtract_rows(const RowsView& a, const LocalRowsView<const double>& x, const double* b,
                   double* r, Index columns, cudaStream_t stream) {
  // b has the alignment of r: both are whole vectors of GPU memory.
  multiply<DifferenceSum>(a, x, {r, nullptr, a.csr.rows}, columns, stream, b, columns);
}

void add_rows(const RowsView& a, const LocalRowsView<const double>& x, double* y, Index columns,
              cudaStream_t stream) {
  multiply<AddedSum>(a, x, {y, nullptr, a.csr.rows}, columns, stream, y, columns);
}

void relax_rows(const RowsView& a, const Relaxation& step, const LocalRowsView<const double>& x,
                double* y, Index columns, cudaStream_t stream) {
  multiply<RelaxedSum>(a, x, {y, nullptr, a.csr.rows}, columns, stream, step, x.own, y, columns);
}

void multiply_row_magnitudes(const RowsView& a, double h, const LocalRowsView<const double>& x,
                             const LocalRowsView<double>& y, Index columns, cudaStream_t stream) {
  multiply<MagnitudeSum>(a, x, y, columns, stream, h);
}

void load_band_products() {
  cudaFuncAttributes of_one;  // of the module, which is loaded as a whole
  CUDA_CHECK(cudaFuncGetAttributes(&of_one, multiply_full_kernel<1, MagnitudeSum<1>>));
  load_product_dots();
}

}  // namespace spsolve::cuda::vectors
