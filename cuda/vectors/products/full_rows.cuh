#pragma once

// Rows that have all columns, as those of a dense matrix: no column is read, and thread blocks
// share few rows at a time, so that what is read of x goes to all of them.

#include "cuda/vectors/products/row_lanes.cuh"
#include "cuda/vectors/products/row_sums.cuh"

namespace spsolve::cuda::inline vectors::full_rows {

using namespace row_lanes;

inline constexpr int rows_at_once = 4;
inline constexpr int most_lanes_on_columns = 8;

/// Lanes on packs of columns, the others on elements of the rows; a row to all warps of a block.
inline Lanes lanes_for_full(Index packs) {
  Lanes lanes{1, warp_size};
  while (lanes.columns < packs && lanes.columns < most_lanes_on_columns) {
    lanes.columns *= 2;
    lanes.nonzeros /= 2;
  }
  return lanes;
}

inline dim3 grid_for_full(Index rows, const Lanes& lanes, Index packs) {
  return {grid_for(rows, rows_at_once), grid_for(packs, lanes.columns)};
}

/// The object that a thread adds its elements up in, begun with `sum`, and the sum that it comes
/// to: the sum itself, where there is no overload for its type.
template <typename Sum>
__device__ Sum running(const Sum& sum) {
  return sum;
}
template <typename Sum>
__device__ Sum total(const Sum& sum) {
  return sum;
}

/// of[q].add(a_ij, x_j) for the rows i = first + q that there are, or the last one, and a thread's
/// elements j, by loads of one j while another is worked on.
template <int pack, typename Running>
__device__ void add_elements(const CsrView<double>& a, Index first, const double* x, Index columns,
                             const LanePosition<pack>& place, const Lanes& lanes,
                             Running (&of)[rows_at_once]) {
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const double* from[rows_at_once];
#pragma unroll
  for (int q = 0; q < rows_at_once; ++q) {
    from[q] = a.values + min(first + q, a.rows - 1) * a.columns;
  }
  const int step = warps * lanes.nonzeros;
  // The factors of products, by rows and columns: those of one j while those of another are on
  // their way.
  struct Elements {
    double of_rows[rows_at_once], of_x[pack];
  };
  const auto load = [&](Index j, Elements& to) {
    if (j >= a.columns) return;
    load_columns<pack, true>(x + j * columns + place.column, to.of_x);
#pragma unroll
    for (int q = 0; q < rows_at_once; ++q) to.of_rows[q] = __ldcs(from[q] + j);
  };
  const auto add = [&](Index j, const Elements& elements) {
    if (j >= a.columns) return;
#pragma unroll
    for (int q = 0; q < rows_at_once; ++q) of[q].add(elements.of_rows[q], elements.of_x);
  };
  Elements even, odd;
  Index j = warp * lanes.nonzeros + place.nonzero;
  load(j, even);
  for (; j < a.columns; j += 2 * step) {
    load(j + step, odd);
    add(j, even);
    load(j + 2 * step, even);
    add(j + step, odd);
  }
}

/// Two elements of each row, of the same two columns, and what they are multiplied by.
template <int pack>
struct Pairs {
  double2 of_rows[rows_at_once];
  double of_x[2][pack];
};

/// Whether rows lie at multiples of 16 bytes.
inline bool have_pairs(const CsrView<double>& a) {
  return a.columns % 2 == 0 && reinterpret_cast<std::uintptr_t>(a.values) % 16 == 0;
}

/// add_pairs(of, a thread's pairs) in the place of add(), where have_pairs(): half as many loads,
/// and what is decided for each element is decided for eight.
template <int pack, typename Running>
__device__ void add_in_pairs(const CsrView<double>& a, Index first, const double* x, Index columns,
                             const LanePosition<pack>& place, const Lanes& lanes,
                             Running (&of)[rows_at_once]) {
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const int step = 2 * warps * lanes.nonzeros, last = static_cast<int>(a.columns);
  int j = 2 * (warp * lanes.nonzeros + place.nonzero);
  const double2* from[rows_at_once];
#pragma unroll
  for (int q = 0; q < rows_at_once; ++q) {
    from[q] =
        reinterpret_cast<const double2*>(a.values + min(first + q, a.rows - 1) * a.columns + j);
  }
  const double* of_x = x + j * columns + place.column;
  const Index x_step = step * columns;
  const auto load = [&](int at, Pairs<pack>& to) {
    if (at >= last) return;
    load_columns<pack, true>(of_x, to.of_x[0]);
    load_columns<pack, true>(of_x + columns, to.of_x[1]);
#pragma unroll
    for (int q = 0; q < rows_at_once; ++q) {
      to.of_rows[q] = __ldcs(from[q]);
      from[q] += step / 2;
    }
    of_x += x_step;
  };
  Pairs<pack> even, odd;
  load(j, even);
  for (; j < last; j += 2 * step) {
    load(j + step, odd);
    add_pairs(of, even);
    if (j + step >= last) break;
    load(j + 2 * step, even);
    add_pairs(of, odd);
  }
}

/// Adds up sum.add(a_ij, x_j) over all j for each of the rows first, ..., first + 3 that there are:
/// over a thread's elements, ascending, over lanes by a tree, over warps ascending. The first of
/// the block's warps have a row each in the end, in their lanes on columns: finish(row, sum). Begun
/// with start(row, q) by the thread that has the first element. All threads of the block must call
/// it. `paired`: by add_in_pairs().
template <int pack, typename Sum, bool paired = false, typename Start, typename Finish>
__device__ void sum_up(const CsrView<double>& a, Index first, const double* x, Index columns,
                       const LanePosition<pack>& place, const Lanes& lanes, const Start& start,
                       const Finish& finish) {
  alignas(Sum)
      __shared__ unsigned char room[sizeof(Sum[warps][rows_at_once][most_lanes_on_columns])];
  auto& parts = *reinterpret_cast<Sum(*)[warps][rows_at_once][most_lanes_on_columns]>(room);
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  row_sums::GroupSums<rows_at_once, decltype(running(start(first, false)))> sums(
      running(start(first, false)));
  if (warp == 0 && place.has_result()) {
#pragma unroll
    for (int q = 0; q < rows_at_once; ++q) {
      if (first + q < a.rows) sums.of[q] = running(start(first + q, true));
    }
  }
  if constexpr (paired) {
    add_in_pairs(a, first, x, columns, place, lanes, sums.of);
  } else {
    add_elements(a, first, x, columns, place, lanes, sums.of);
  }
  __syncthreads();  // whatever was read of `parts` before
#pragma unroll
  for (int q = 0; q < rows_at_once; ++q) {
    Sum sum = total(sums.of[q]);
    for (int distance = warp_size / 2; distance >= lanes.columns; distance /= 2) {
      sum.include(sum.of_lane_behind(distance));
    }
    if (lane < lanes.columns) parts[warp][q][lane] = sum;
  }
  __syncthreads();
  if (warp >= rows_at_once || first + warp >= a.rows || !place.has_result()) return;
  Sum sum = parts[0][warp][lane];
  for (int other = 1; other < warps; ++other) sum.include(parts[other][warp][lane]);
  finish(first + warp, sum);
}

}  // namespace spsolve::cuda::vectors::full_rows
