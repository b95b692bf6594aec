#include "core/extremes.hpp"
#include "cuda/vectors/products/full_rows.cuh"
#include "cuda/vectors/products/residual_kernels.hpp"
#include "cuda/vectors/products/row_lanes.cuh"
#include "cuda/vectors/products/twofold_sums.cuh"

namespace spsolve::cuda::inline vectors {

using namespace row_lanes;

namespace {

template <int pack>
struct ResidualSum {
  static constexpr int numbers = 3 * pack + 1;

  TwofoldSum sums[pack];
  double scale[pack] = {};
  double row = 0;  ///< sum over j of |a_ij|

  __device__ void add(double a, const double (&x)[pack]) {
    row += fabs(a);
#pragma unroll
    for (int c = 0; c < pack; ++c) {
      sums[c].subtract_product(a, x[c]);
      scale[c] = fma(fabs(a), fabs(x[c]), scale[c]);
    }
  }
  __device__ void clear() {
    *this = {};
  }
  __device__ void include(const ResidualSum& other) {
    row += other.row;
#pragma unroll
    for (int c = 0; c < pack; ++c) {
      sums[c].add(other.sums[c].high, other.sums[c].low);
      scale[c] += other.scale[c];
    }
  }
  /// The sum of another lane, as move(value) fetches its values.
  template <typename Move>
  __device__ ResidualSum moved(const Move& move) const {
    ResidualSum other;
    other.row = move(row);
#pragma unroll
    for (int c = 0; c < pack; ++c) {
      other.sums[c] = {move(sums[c].high), move(sums[c].low)};
      other.scale[c] = move(scale[c]);
    }
    return other;
  }
  template <typename Visit>
  __device__ void each_number(const Visit& visit) {
    visit(row);
#pragma unroll
    for (int c = 0; c < pack; ++c) {
      visit(sums[c].high);
      visit(sums[c].low);
      visit(scale[c]);
    }
  }
  __device__ ResidualSum of_lane_behind(int distance) const {
    return moved([&](double value) { return from_lane_behind(value, distance); });
  }
  __device__ ResidualSum of_lane(int lane) const {
    return moved([&](double value) { return __shfl_sync(whole_warp, value, lane); });
  }
};

/// A ResidualSum whose sums of products are BesidePower.
template <int pack>
struct RunningResidual {
  BesidePower sums[pack];
  double scale[pack];
  double row;

  __device__ void add(double a, const double (&x)[pack]) {
    row += fabs(a);
#pragma unroll
    for (int c = 0; c < pack; ++c) {
      scale[c] = fma(fabs(a), fabs(x[c]), scale[c]);
      if (!sums[c].has_room(scale[c])) sums[c].make_room(scale[c]);
      sums[c].subtract_product(a, x[c]);
    }
  }
  /// Takes in the magnitudes of a pair, and says whether its products may follow.
  __device__ bool has_room(double2 a, const double (&x)[2][pack]) {
    row += fabs(a.x);
    row += fabs(a.y);
    bool result = true;
#pragma unroll
    for (int c = 0; c < pack; ++c) {
      scale[c] = fma(fabs(a.x), fabs(x[0][c]), scale[c]);
      scale[c] = fma(fabs(a.y), fabs(x[1][c]), scale[c]);
      result = result && sums[c].has_room(scale[c]);
    }
    return result;
  }
};

__device__ RunningResidual<1> running(const ResidualSum<1>& sum) {
  return {{BesidePower(sum.sums[0], sum.scale[0])}, {sum.scale[0]}, sum.row};
}
__device__ RunningResidual<2> running(const ResidualSum<2>& sum) {
  return {{BesidePower(sum.sums[0], sum.scale[0]), BesidePower(sum.sums[1], sum.scale[1])},
          {sum.scale[0], sum.scale[1]},
          sum.row};
}
template <int pack>
__device__ ResidualSum<pack> total(const RunningResidual<pack>& running) {
  ResidualSum<pack> sum;
  sum.row = running.row;
#pragma unroll
  for (int c = 0; c < pack; ++c) {
    sum.sums[c] = running.sums[c].sum();
    sum.scale[c] = running.scale[c];
  }
  return sum;
}

/// Adds pairs of elements to the sums of some rows.
template <int pack, int rows>
__device__ void add_pairs(RunningResidual<pack> (&of)[rows], const full_rows::Pairs<pack>& pairs) {
  bool has_room = true;
#pragma unroll
  for (int q = 0; q < rows; ++q) {
    has_room = of[q].has_room(pairs.of_rows[q], pairs.of_x) && has_room;
  }
  if (!has_room) {
#pragma unroll
    for (int q = 0; q < rows; ++q) {
#pragma unroll
      for (int c = 0; c < pack; ++c) of[q].sums[c].make_room(of[q].scale[c]);
    }
  }
#pragma unroll
  for (int q = 0; q < rows; ++q) {
#pragma unroll
    for (int c = 0; c < pack; ++c) {
      of[q].sums[c].subtract_product(pairs.of_rows[q].x, pairs.of_x[0][c]);
      of[q].sums[c].subtract_product(pairs.of_rows[q].y, pairs.of_x[1][c]);
    }
  }
}

/// The maxima of a lane's rows and columns.
template <int pack>
struct Maxima {
  double residual[pack], right_hand_side[pack], solution[pack], componentwise[pack];
  double row, inverse_row;

  __device__ void include(const Maxima& other) {
#pragma unroll
    for (int c = 0; c < pack; ++c) {
      residual[c] = larger(residual[c], other.residual[c]);
      right_hand_side[c] = larger(right_hand_side[c], other.right_hand_side[c]);
      solution[c] = larger(solution[c], other.solution[c]);
      componentwise[c] = larger(componentwise[c], other.componentwise[c]);
    }
    row = larger(row, other.row);
    inverse_row = larger(inverse_row, other.inverse_row);
  }
  __device__ Maxima of_lane_behind(int distance) const {
    Maxima result;
#pragma unroll
    for (int c = 0; c < pack; ++c) {
      result.residual[c] = from_lane_behind(residual[c], distance);
      result.right_hand_side[c] = from_lane_behind(right_hand_side[c], distance);
      result.solution[c] = from_lane_behind(solution[c], distance);
      result.componentwise[c] = from_lane_behind(componentwise[c], distance);
    }
    result.row = from_lane_behind(row, distance);
    result.inverse_row = from_lane_behind(inverse_row, distance);
    return result;
  }
};

/// In shared memory, of the threads of a block.
template <int pack>
using MaximaOfThreads = Maxima<pack>[warps][warp_size];

/// Leaves the maxima of all rows of the thread block in its row of `results`.
template <int pack>
__device__ void write_maxima(Maxima<pack> mine, MaximaOfThreads<pack>& shared,
                             const LanePosition<pack>& place, const Lanes& lanes, Index columns,
                             double* results) {
  for (int distance = warp_size / 2; distance >= lanes.columns; distance /= 2) {
    mine.include(mine.of_lane_behind(distance));
  }
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  shared[warp][lane] = mine;
  __syncthreads();
  if (warp > 0 || lane >= lanes.columns || !place.has_column) return;
  for (int other = 1; other < warps; ++other) mine.include(shared[other][lane]);
  double* const result = results + static_cast<Index>(blockIdx.x) * residual_width(columns);
#pragma unroll
  for (int c = 0; c < pack; ++c) {
    result[place.column + c] = mine.residual[c];
    result[columns + place.column + c] = mine.right_hand_side[c];
    result[2 * columns + place.column + c] = mine.solution[c];
    result[3 * columns + place.column + c] = mine.componentwise[c];
  }
  if (place.column > 0) return;
  result[4 * columns] = mine.row;
  result[4 * columns + 1] = mine.inverse_row;
}

/// The sum that a row begins with where a lane begins it: b, and |b|.
template <int pack>
__device__ ResidualSum<pack> begun_with(const double* b, Index i, Index columns,
                                        const LanePosition<pack>& place) {
  ResidualSum<pack> sum;
  double right[pack];
  load_columns<pack, true>(b + i * columns + place.column, right);
#pragma unroll
  for (int c = 0; c < pack; ++c) {
    sum.sums[c].high = right[c];
    sum.scale[c] = fabs(right[c]);
  }
  return sum;
}

/// Stores row i of r, and takes its numbers in.
template <int pack>
__device__ void finish_row(const ResidualSum<pack>& sum, Index i,
                           const LocalRowsView<const double>& x, const double* b,
                           const ResidualRows& to, Index columns, const LanePosition<pack>& place,
                           Maxima<pack>& maxima) {
  double own[pack], right[pack], value[pack];
  load_columns<pack, true>(row_of(x, i, columns) + place.column, own);
  load_columns<pack, true>(b + i * columns + place.column, right);
  Maxima<pack> of_row;
  of_row.row = sum.row;
  of_row.inverse_row = 1 / sum.row;
#pragma unroll
  for (int c = 0; c < pack; ++c) {
    value[c] = sum.sums[c].value();
    of_row.residual[c] = fabs(value[c]);
    of_row.right_hand_side[c] = fabs(right[c]);
    of_row.solution[c] = fabs(own[c]);
    of_row.componentwise[c] = relative_error(fabs(value[c]), sum.scale[c]);
  }
  maxima.include(of_row);
  store_columns(to.r + i * columns + place.column, value, pack > 1);
  if (to.magnitudes != nullptr) {
    store_columns(to.magnitudes + i * columns + place.column, sum.scale, pack > 1);
  }
}

template <int pack>
__global__ void __launch_bounds__(threads)
    residual_kernel(LocalRowsView<const double> x, const double* b, ResidualRows to, Index columns,
                    double* results, CsrView<double> a, Lanes lanes,
                    CutRowsView<double> long_rows) {
  const LanePosition<pack> place(lanes, columns);
  const Index stride = thread_count() / warp_size * lanes.rows_of_warp();
  __shared__ MaximaOfThreads<pack> shared;
  Maxima<pack> maxima = {};
  for (Index first = place.warp * lanes.rows_of_warp(); first < a.rows; first += stride) {
    const Index i = first + place.row;
    const bool has_result = i < a.rows && place.has_result();
    ResidualSum<pack> sum;
    if (has_result) sum = begun_with(b, i, columns, place);
    sum_up(a, i, x, columns, place, lanes, long_rows, sum);
    if (has_result) finish_row(sum, i, x, b, to, columns, place, maxima);
  }
  write_maxima(maxima, shared, place, lanes, columns, results);
}

/// Residuals of rows that have all columns.
template <int pack, bool paired>
__global__ void __launch_bounds__(threads, 2)
    full_residual_kernel(LocalRowsView<const double> x, const double* b, ResidualRows to,
                         Index columns, double* results, CsrView<double> a, Lanes lanes) {
  const LanePosition<pack> place(lanes, columns);
  constexpr int at_once = full_rows::rows_at_once;
  // There: while rows are added up, all registers are needed.
  __shared__ MaximaOfThreads<pack> shared;
  Maxima<pack>& maxima =
      shared[static_cast<int>(threadIdx.x) / warp_size][static_cast<int>(threadIdx.x) % warp_size];
  maxima = {};
  for (Index first = static_cast<Index>(blockIdx.x) * at_once; first < a.rows;
       first += static_cast<Index>(gridDim.x) * at_once) {
    full_rows::sum_up<pack, ResidualSum<pack>, paired>(
        a, first, x.own, columns, place, lanes,
        [&](Index i, bool begins) {
          return begins ? begun_with(b, i, columns, place) : ResidualSum<pack>{};
        },
        [&](Index i, const ResidualSum<pack>& sum) {
          finish_row(sum, i, x, b, to, columns, place, maxima);
        });
  }
  write_maxima(Maxima<pack>(maxima), shared, place, lanes, columns, results);
}

dim3 residual_grid(dim3 grid) {
  constexpr unsigned most_blocks = 1024;
  grid.x = std::min(grid.x, most_blocks);
  return grid;
}

bool in_widest_packs(Index columns) {
  return columns % widest_pack == 0;
}

/// Calls launch(kernel, grid, what the kernel wants to know of the rows).
template <typename Launch>
void with_residual_kernel(const RowsView& a, Index columns, const Launch& launch) {
  if (!a.full) {
    return in_packs(
        a.csr, in_widest_packs(columns), columns,
        [&]<int pack>(std::integral_constant<int, pack>, const Lanes& lanes, dim3 grid) {
          launch(residual_kernel<pack>, residual_grid(grid), a.csr, lanes, a.long_rows);
        });
  }
  const auto in_full_rows = [&]<int pack>(std::integral_constant<int, pack>) {
    const auto kernel = full_rows::have_pairs(a.csr) ? full_residual_kernel<pack, true>
                                                     : full_residual_kernel<pack, false>;
    const Lanes lanes = full_rows::lanes_for_full(columns / pack);
    dim3 grid = full_rows::grid_for_full(a.csr.rows, lanes, columns / pack);
    // As many as are at work at the same time: none is left for a round of its own.
    grid.x = blocks_at_once(kernel, threads, grid.x);
    launch(kernel, residual_grid(grid), a.csr, lanes);
  };
  in_widest_packs(columns) ? in_full_rows(std::integral_constant<int, widest_pack>{})
                           : in_full_rows(std::integral_constant<int, 1>{});
}

}  // namespace

Index residual_blocks(const RowsView& a, Index columns) {
  Index blocks = 0;
  with_residual_kernel(a, columns, [&](auto, dim3 grid, const auto&...) { blocks = grid.x; });
  return blocks;
}

void subtract_product(const RowsView& a, const LocalRowsView<const double>& x, const double* b,
                      const ResidualRows& to, Index columns, double* maxima, cudaStream_t stream) {
  in_packs(a.csr, in_widest_packs(columns), columns,
           [&]<int pack>(std::integral_constant<int, pack>, const Lanes& lanes, dim3) {
             sum_pieces<pack>(a.csr, x, columns, lanes, a.long_rows, stream, ResidualSum<pack>{});
           });
  with_residual_kernel(a, columns, [&](auto kernel, dim3 grid, const auto&... rows) {
    kernel<<<grid, threads, 0, stream>>>(x, b, to, columns, maxima, rows...);
  });
  check_launch("subtract_product");
}

}  // namespace spsolve::cuda::vectors
