#pragma once

// How products with rows in CSR form share rows among lanes.

#include <type_traits>

#include "cuda/core/first_from.cuh"
#include "cuda/core/launch.cuh"
#include "cuda/core/packed.cuh"
#include "cuda/vectors/products/band_product_kernels.hpp"

namespace spsolve::cuda::inline vectors::row_lanes {

inline constexpr int threads = 256;
inline constexpr int warps = threads / warp_size;
inline constexpr int widest_pack = full_pack<double>;

/// How a row is shared: lane l of its group has the non-zeros l / columns, and every `nonzeros`-th
/// from there, and the columns of x of pack l % columns. Both are powers of two, and groups no
/// wider than a warp.
struct Lanes {
  int columns;
  int nonzeros;

  __host__ __device__ int of_row() const { return columns * nonzeros; }
  __host__ __device__ int rows_of_warp() const { return warp_size / of_row(); }
};

/// All columns in one warp where it is wide enough for them, so that the matrix is read once, and
/// at least two non-zeros of a row of mean length to a lane.
inline Lanes lanes_for(const CsrView<double>& a, Index packs) {
  Lanes lanes{1, 1};
  while (lanes.columns < packs && lanes.columns < warp_size) lanes.columns *= 2;
  while (lanes.of_row() < warp_size && 4 * lanes.nonzeros * a.rows <= a.nonzeros) {
    lanes.nonzeros *= 2;
  }
  return lanes;
}

template <typename T>
__device__ T* row_of(const LocalRowsView<T>& rows, Index i, Index columns) {
  return i < rows.split ? rows.own + i * columns : rows.others + (i - rows.split) * columns;
}

/// Rows of x where none are others': the split is no question then.
struct OwnRows {
  const double* own;
};

__device__ inline const double* row_of(const OwnRows& rows, Index i, Index columns) {
  return rows.own + i * columns;
}

/// The rows and columns that a lane works on, and where its results go: only the first lane of
/// those with the same columns has them, and only where the columns exist.
template <int pack>
struct LanePosition {
  Index warp;    ///< number of the warp in its row of the grid
  int row;       ///< of the warp's rows
  int nonzero;   ///< first non-zero
  Index column;  ///< first column; 0 where there is none
  bool has_column;

  __device__ LanePosition(const Lanes& lanes, Index columns) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int in_row = lane % lanes.of_row();
    warp = thread_index() / warp_size;
    row = lane / lanes.of_row();
    nonzero = in_row / lanes.columns;
    column = (static_cast<Index>(blockIdx.y) * lanes.columns + in_row % lanes.columns) * pack;
    has_column = column < columns;
    if (!has_column) column = 0;
  }
  __device__ bool has_result() const { return nonzero == 0 && has_column; }
};

__device__ inline double from_lane_behind(double value, int distance) {
  return __shfl_down_sync(whole_warp, value, distance);
}

/// sum.add(a_ij, x_j) for the non-zeros k, k + step, ... before `last`.
template <int pack, typename Sum>
__device__ void add_nonzeros(const CsrView<double>& a, Index k, Index last, int step,
                             const LocalRowsView<const double>& x, Index columns,
                             const LanePosition<pack>& place, Sum& sum) {
#pragma unroll 4
  for (; k < last; k += step) {
    double element[pack];
    load_columns<pack, true>(row_of(x, __ldg(a.column_indices + k), columns) + place.column,
                             element);
    sum.add(__ldg(a.values + k), element);
  }
}

/// Non-zeros of a row beyond which all lanes of a warp share it: a graph has rows of thousands
/// among rows of three.
inline constexpr Index long_row = 256;

/// The sum over lanes of a warp with the same columns, for the first of them, by a tree.
template <typename Sum>
__device__ void sum_over_warp(const Lanes& lanes, Sum& sum) {
  for (int distance = warp_size / 2; distance >= lanes.columns; distance /= 2) {
    sum.include(sum.of_lane_behind(distance));
  }
}

/// Where the numbers of a piece's sum stand, for one pack of its columns.
template <typename Sum, int pack>
__device__ double* part_of(const CutRowsView<double>& long_rows, Index piece, Index columns,
                           const LanePosition<pack>& place) {
  return long_rows.sums + (piece * (columns / pack) + place.column / pack) * Sum::numbers;
}

template <typename Sum>
__device__ void write_numbers(Sum& sum, double* to) {
  sum.each_number([&](double& number) { *to++ = number; });
}
/// `like`, with these numbers in the place of its own.
template <typename Sum>
__device__ Sum with_numbers(const Sum& like, const double* from) {
  Sum sum = like;
  sum.each_number([&](double& number) { number = *from++; });
  return sum;
}

/// A thread block for each piece of a long row, and for as many columns as lanes have.
template <int pack, typename Sum>
__global__ void __launch_bounds__(threads)
    sum_pieces_kernel(CsrView<double> a, LocalRowsView<const double> x, Index columns, Lanes lanes,
                      CutRowsView<double> long_rows, Sum start) {
  __shared__ double numbers[warps][warp_size][Sum::numbers];
  const LanePosition<pack> place({lanes.columns, warp_size / lanes.columns}, columns);
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const auto piece = static_cast<LocalIndex>(blockIdx.x);
  const int row = first_from(long_rows.pieces, long_rows.count, piece + 1) - 1;
  const Index i = long_rows.rows[row];
  const Index begin = a.row_offsets[i] + (piece - long_rows.pieces[row]) * nonzeros_of_piece;
  const Index end = min(begin + nonzeros_of_piece, a.row_offsets[i + 1]);
  Sum sum = start;
  sum.clear();
  add_nonzeros(a, begin + threadIdx.x / lanes.columns, end, threads / lanes.columns, x, columns,
               place, sum);
  __syncwarp();
  sum_over_warp(lanes, sum);
  if (lane < lanes.columns) write_numbers(sum, numbers[warp][lane]);
  __syncthreads();
  if (warp > 0 || lane >= lanes.columns || !place.has_column) return;
  for (int other = 1; other < warps; ++other) {
    sum.include(with_numbers(sum, numbers[other][lane]));
  }
  write_numbers(sum, part_of<Sum>(long_rows, piece, columns, place));
}

/// Adds up the pieces of long rows, where there are any: sum_up() takes them in.
template <int pack, typename Sum>
void sum_pieces(const CsrView<double>& a, const LocalRowsView<const double>& x, Index columns,
                const Lanes& lanes, const CutRowsView<double>& long_rows, cudaStream_t stream,
                const Sum& start) {
  static_assert(Sum::numbers <= numbers_of_column * pack, "a piece has room for less");
  if (long_rows.count == 0) return;
  const dim3 grid(static_cast<unsigned>(long_rows.all), grid_for(columns / pack, lanes.columns));
  sum_pieces_kernel<pack><<<grid, threads, 0, stream>>>(a, x, columns, lanes, long_rows, start);
  check_launch("sum_pieces");
}

/// The sum of the pieces of row i, which is one of the long ones, in their order.
template <int pack, typename Sum>
__device__ void include_pieces(const CutRowsView<double>& long_rows, Index i, Index columns,
                               const LanePosition<pack>& place, Sum& sum) {
  const int row = first_from(long_rows.rows, long_rows.count, i);
#pragma unroll 4
  for (Index piece = long_rows.pieces[row]; piece < long_rows.pieces[row + 1]; ++piece) {
    sum.include(with_numbers(sum, part_of<Sum>(long_rows, piece, columns, place)));
  }
}

/// Adds up sum.add(a_ij, x_j) of row i: over the lane's non-zeros, ascending, then over lanes by a
/// tree; of long rows over what thread blocks have added up before. All lanes of the warp must call
/// it; those without a row have an i beyond the last.
template <int pack, typename Sum>
__device__ void sum_up(const CsrView<double>& a, Index i, const LocalRowsView<const double>& x,
                       Index columns, const LanePosition<pack>& place, const Lanes& lanes,
                       const CutRowsView<double>& long_rows, Sum& sum) {
  const Index first = i < a.rows ? __ldg(a.row_offsets + i) : 0;
  const Index last = i < a.rows ? __ldg(a.row_offsets + i + 1) : 0;
  const bool in_pieces = long_rows.count > 0 && last - first > most_of_shared_row;
  const bool is_long = !in_pieces && lanes.of_row() < warp_size && last - first > long_row;
  if (!is_long && !in_pieces) {
    add_nonzeros(a, first + place.nonzero, last, lanes.nonzeros, x, columns, place, sum);
  }
  for (int distance = lanes.of_row() / 2; distance >= lanes.columns; distance /= 2) {
    sum.include(sum.of_lane_behind(distance));
  }
  if (in_pieces && place.has_result()) include_pieces(long_rows, i, columns, place, sum);
  __syncwarp();
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  unsigned left = __ballot_sync(whole_warp, is_long);
  while (left != 0) {
    const int owner = __ffs(static_cast<int>(left)) - 1;
    left &= ~(((1u << lanes.of_row()) - 1) << owner);
    Sum part = sum;
    part.clear();
    add_nonzeros(a, __shfl_sync(whole_warp, first, owner) + lane / lanes.columns,
                 __shfl_sync(whole_warp, last, owner), warp_size / lanes.columns, x, columns, place,
                 part);
    sum_over_warp(lanes, part);
    const auto whole = part.of_lane(lane % lanes.columns);
    if (lane / lanes.of_row() == owner / lanes.of_row()) sum.include(whole);
  }
}

/// Calls launch(pack, lanes, grid) for what suits rows of so many columns; all of the arrays have
/// rows aligned to packs, or the pack is 1.
template <typename Launch>
void in_packs(const CsrView<double>& a, bool aligned, Index columns, const Launch& launch) {
  const auto with_pack = [&]<int pack>(std::integral_constant<int, pack> size) {
    const Index packs = columns / pack;
    const Lanes lanes = lanes_for(a, packs);
    launch(size, lanes,
           dim3(grid_for(a.rows, warps * lanes.rows_of_warp()), grid_for(packs, lanes.columns)));
  };
  if (aligned) {
    with_pack(std::integral_constant<int, widest_pack>{});
  } else {
    with_pack(std::integral_constant<int, 1>{});
  }
}

inline bool aligned_to_packs(const void* data, Index columns) {
  return rows_aligned(static_cast<const double*>(data), columns,
                      sizeof(Packed<double, widest_pack>));
}

}  // namespace spsolve::cuda::vectors::row_lanes
