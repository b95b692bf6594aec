#include <type_traits>

#include "core/extremes.hpp"
#include "cuda/core/launch.cuh"
#include "cuda/core/packed.cuh"
#include "cuda/vectors/band_product_kernels.hpp"

namespace spsolve::cuda {

namespace {

constexpr int threads = 256;
constexpr int warps = threads / warp_size;
constexpr int widest_pack = full_pack<double>;

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
Lanes lanes_for(const CsrView<double>& a, Index packs) {
  Lanes lanes{1, 1};
  while (lanes.columns < packs && lanes.columns < warp_size) lanes.columns *= 2;
  while (lanes.of_row() < warp_size && 4 * lanes.nonzeros * a.rows <= a.nonzeros) {
    lanes.nonzeros *= 2;
  }
  return lanes;
}

template <typename T>
__device__ T* row_of(const SplitRows<T>& rows, Index i, Index columns) {
  return i < rows.split ? rows.own + i * columns : rows.others + (i - rows.split) * columns;
}

/// What a lane works on, and where its results go: only the first lane of those with the same
/// columns has them, and only where the columns exist.
template <int pack>
struct Place {
  Index warp;    ///< number of the warp in its row of the grid
  int row;       ///< of the warp's rows
  int nonzero;   ///< first non-zero
  Index column;  ///< first column; 0 where there is none
  bool has_column;

  __device__ Place(const Lanes& lanes, Index columns) {
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

/// sum.add(a_ij, x_j) for the lane's non-zeros of row i, ascending, and sum.combine() over lanes by
/// a tree. All lanes of the warp must call it; those without a row have an i beyond the last.
template <int pack, typename Sum>
__device__ void sum_up(const CsrView<double>& a, Index i, const SplitRows<const double>& x,
                       Index columns, const Place<pack>& place, const Lanes& lanes, Sum& sum) {
  if (i < a.rows) {
    const Index last = __ldg(a.row_offsets + i + 1);
#pragma unroll 4
    for (Index k = __ldg(a.row_offsets + i) + place.nonzero; k < last; k += lanes.nonzeros) {
      double element[pack];
      load_columns<pack, true>(row_of(x, __ldg(a.column_indices + k), columns) + place.column,
                               element);
      sum.add(__ldg(a.values + k), element);
    }
  }
  for (int distance = lanes.of_row() / 2; distance >= lanes.columns; distance /= 2) {
    sum.combine(distance);
  }
}

__device__ double from_lane_behind(double value, int distance) {
  return __shfl_down_sync(whole_warp, value, distance);
}

template <int pack>
struct PlainSum {
  double values[pack] = {};

  __device__ void add(double a, const double (&x)[pack]) {
#pragma unroll
    for (int c = 0; c < pack; ++c) values[c] = fma(a, x[c], values[c]);
  }
  __device__ void combine(int distance) {
#pragma unroll
    for (int c = 0; c < pack; ++c) values[c] += from_lane_behind(values[c], distance);
  }
  __device__ void finish(Index, Index) {}
};

/// b - the sum
template <int pack>
struct DifferenceSum : PlainSum<pack> {
  const double* b;
  Index columns;

  DifferenceSum(const double* from, Index count) : b(from), columns(count) {}
  __device__ void finish(Index i, Index column) {
    const double* const from = b + i * columns + column;  // b may be what the result goes to
#pragma unroll
    for (int c = 0; c < pack; ++c) this->values[c] = from[c] - this->values[c];
  }
};

/// What y holds + the sum
template <int pack>
struct AddedSum : PlainSum<pack> {
  const double* y;
  Index columns;

  AddedSum(const double* to, Index count) : y(to), columns(count) {}
  __device__ void finish(Index i, Index column) {
    const double* const held = y + i * columns + column;
#pragma unroll
    for (int c = 0; c < pack; ++c) this->values[c] += held[c];
  }
};

/// A step of relaxation with the sum.
template <int pack>
struct RelaxedSum : PlainSum<pack> {
  Relaxation step;
  const double* x;
  const double* y;
  Index columns;

  RelaxedSum(const Relaxation& to, const double* from, const double* held, Index count)
      : step(to), x(from), y(held), columns(count) {}
  __device__ void finish(Index i, Index column) {
    const Index at = i * columns + column;
    const double of_row = step.factor * __ldg(step.inverse + i);
#pragma unroll
    for (int c = 0; c < pack; ++c) {
      const double kept = step.of_y == 0 ? 0.0 : step.of_y * y[at + c];
      this->values[c] =
          fma(of_row, step.b[at + c] - this->values[c], fma(step.of_x, x[at + c], kept));
    }
  }
};

template <int pack>
struct MagnitudeSum : PlainSum<pack> {
  double h;

  explicit MagnitudeSum(double factor) : h(factor) {}
  __device__ void add(double a, const double (&x)[pack]) {
    const double scaled = fabs(a * h * h);
#pragma unroll
    for (int c = 0; c < pack; ++c) this->values[c] = fma(scaled, fabs(x[c]), this->values[c]);
  }
};

/// A sum in two pieces, high + low. Every operation is rounded by itself, never contracted.
struct TwofoldSum {
  double high = 0, low = 0;

  /// Adds `value` + `error`, the error of the sum after Knuth.
  __device__ void add(double value, double error) {
    const double sum = __dadd_rn(high, value);
    const double part = __dsub_rn(sum, high);
    const double sum_error =
        __dadd_rn(__dsub_rn(high, __dsub_rn(sum, part)), __dsub_rn(value, part));
    high = sum;
    low = __dadd_rn(low, __dadd_rn(sum_error, error));
  }
  __device__ void subtract_product(double a, double b) {
    const double product = __dmul_rn(-a, b);
    add(product, __fma_rn(-a, b, -product));
  }
  __device__ double value() const { return __dadd_rn(high, low); }
};

template <int pack>
struct ResidualSum {
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
  __device__ void combine(int distance) {
    row += from_lane_behind(row, distance);
#pragma unroll
    for (int c = 0; c < pack; ++c) {
      const double high = from_lane_behind(sums[c].high, distance);
      sums[c].add(high, from_lane_behind(sums[c].low, distance));
      scale[c] += from_lane_behind(scale[c], distance);
    }
  }
};

template <int pack, typename Sum>
__global__ void __launch_bounds__(threads)
    multiply_kernel(CsrView<double> a, SplitRows<const double> x, SplitRows<double> y,
                    Index columns, Lanes lanes, Sum start) {
  const Place<pack> place(lanes, columns);
  const Index stride = thread_count() / warp_size * lanes.rows_of_warp();
  // The same number of rounds for all lanes of a warp.
  for (Index first = place.warp * lanes.rows_of_warp(); first < a.rows; first += stride) {
    const Index i = first + place.row;
    Sum sum = start;
    sum_up(a, i, x, columns, place, lanes, sum);
    if (i < a.rows && place.has_result()) {
      sum.finish(i, place.column);
      store_columns(row_of(y, i, columns) + place.column, sum.values, pack > 1);
    }
  }
}

/// sum.add(a_ij, x_j) for the elements of row i of a slice, in batches that are loaded side by
/// side. The matrix passes by the caches, which are left to vectors.
template <typename Sum>
__device__ void sum_up_sliced(const SlicedView& a, Index i, const SplitRows<const double>& x,
                              Sum& sum) {
  constexpr int batch = 8;
  const Index slice = i / warp_size;
  const Index last = __ldg(a.offsets + slice + 1);
  for (Index at = __ldg(a.offsets + slice) + i % warp_size; at < last; at += batch * warp_size) {
    LocalIndex columns[batch];
    double values[batch], elements[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      const Index place = at + k * warp_size;
      columns[k] = place < last ? __ldcs(a.columns + place) : -1;
      values[k] = place < last ? __ldcs(a.values + place) : 0.0;
    }
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

/// One column, and a thread for each row.
template <typename Sum>
__global__ void __launch_bounds__(threads)
    multiply_sliced_kernel(SlicedView a, SplitRows<const double> x, SplitRows<double> y,
                           Sum start) {
  for (Index i = thread_index(); i < a.rows; i += thread_count()) {
    Sum sum = start;
    sum_up_sliced(a, i, x, sum);
    sum.finish(i, 0);
    *row_of(y, i, 1) = sum.values[0];
  }
}

/// The sum over the thread block, for its first thread: a tree over lanes, and one over warps.
__device__ double sum_of_block(double value) {
  __shared__ double of_warps[warps];
  __syncthreads();
  value = sum_of_group<warp_size>(value);
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  if (threadIdx.x % warp_size == 0) of_warps[warp] = value;
  __syncthreads();
  if (warp > 0) return 0;
  const int lane = static_cast<int>(threadIdx.x);
  return sum_of_group<warps>(lane < warps ? of_warps[lane] : 0.0);
}

/// y <- A x and *dot <- x^T y for a square A: the block that is last done adds up what blocks have.
__global__ void __launch_bounds__(threads)
    multiply_and_dot_kernel(SlicedView a, SplitRows<const double> x, double* y, ReductionRoom room,
                            double* dot) {
  double product = 0;
  for (Index i = thread_index(); i < a.rows; i += thread_count()) {
    PlainSum<1> sum;
    sum_up_sliced(a, i, x, sum);
    y[i] = sum.values[0];
    product = fma(__ldg(x.own + i), sum.values[0], product);
  }
  product = sum_of_block(product);
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    room.partials[blockIdx.x] = product;
    __threadfence();
    is_last = atomicInc(room.tickets, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  double sum = 0;
#pragma unroll 4
  for (unsigned b = threadIdx.x; b < gridDim.x; b += threads) sum += __ldcg(room.partials + b);
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) *dot = sum;
}

/// The maxima of a lane's rows and columns.
template <int pack>
struct Maxima {
  double residual[pack], right_hand_side[pack], solution[pack], componentwise[pack];
  double row;

  __device__ void include(const Maxima& other) {
#pragma unroll
    for (int c = 0; c < pack; ++c) {
      residual[c] = larger(residual[c], other.residual[c]);
      right_hand_side[c] = larger(right_hand_side[c], other.right_hand_side[c]);
      solution[c] = larger(solution[c], other.solution[c]);
      componentwise[c] = larger(componentwise[c], other.componentwise[c]);
    }
    row = larger(row, other.row);
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
    return result;
  }
};

/// Leaves the maxima of all rows of the thread block in its row of `results`.
template <int pack>
__device__ void write_maxima(Maxima<pack> mine, const Place<pack>& place, const Lanes& lanes,
                             Index columns, double* results) {
  __shared__ Maxima<pack> shared[warps][warp_size];
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
  if (place.column == 0) result[4 * columns] = mine.row;
}

template <int pack>
__global__ void __launch_bounds__(threads)
    residual_kernel(CsrView<double> a, SplitRows<const double> x, const double* b, double* r,
                    Index columns, Lanes lanes, double* results) {
  const Place<pack> place(lanes, columns);
  const Index stride = thread_count() / warp_size * lanes.rows_of_warp();
  Maxima<pack> maxima = {};
  for (Index first = place.warp * lanes.rows_of_warp(); first < a.rows; first += stride) {
    const Index i = first + place.row;
    const bool has_result = i < a.rows && place.has_result();
    double right[pack] = {};
    ResidualSum<pack> sum;
    if (has_result) {
      load_columns<pack, true>(b + i * columns + place.column, right);
#pragma unroll
      for (int c = 0; c < pack; ++c) {
        sum.sums[c].high = right[c];
        sum.scale[c] = fabs(right[c]);
      }
    }
    sum_up(a, i, x, columns, place, lanes, sum);
    if (!has_result) continue;
    double own[pack], value[pack];
    load_columns<pack, true>(row_of(x, i, columns) + place.column, own);
    Maxima<pack> of_row;
    of_row.row = sum.row;
#pragma unroll
    for (int c = 0; c < pack; ++c) {
      value[c] = sum.sums[c].value();
      of_row.residual[c] = fabs(value[c]);
      of_row.right_hand_side[c] = fabs(right[c]);
      of_row.solution[c] = fabs(own[c]);
      of_row.componentwise[c] = relative_error(fabs(value[c]), sum.scale[c]);
    }
    maxima.include(of_row);
    store_columns(r + i * columns + place.column, value, pack > 1);
  }
  write_maxima(maxima, place, lanes, columns, results);
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

bool aligned_to_packs(const void* data, Index columns) {
  return rows_aligned(static_cast<const double*>(data), columns,
                      sizeof(Packed<double, widest_pack>));
}

template <template <int> typename Sum, typename... Arguments>
void multiply(const RowsView& rows, const SplitRows<const double>& x, const SplitRows<double>& y,
              Index columns, cudaStream_t stream, Arguments... arguments) {
  const CsrView<double>& a = rows.csr;
  if (a.rows == 0 || columns == 0) return;
  if (rows.sliced != nullptr && columns == 1) {
    multiply_sliced_kernel<<<grid_for(a.rows, threads), threads, 0, stream>>>(*rows.sliced, x, y,
                                                                              Sum<1>{arguments...});
    return check_launch("multiply_rows");
  }
  const bool aligned = aligned_to_packs(x.own, columns) && aligned_to_packs(x.others, columns) &&
                       aligned_to_packs(y.own, columns) && aligned_to_packs(y.others, columns);
  in_packs(a, aligned, columns,
           [&]<int pack>(std::integral_constant<int, pack>, const Lanes& lanes, dim3 grid) {
             multiply_kernel<pack>
                 <<<grid, threads, 0, stream>>>(a, x, y, columns, lanes, Sum<pack>{arguments...});
           });
  check_launch("multiply_rows");
}

dim3 residual_grid(dim3 grid) {
  constexpr unsigned most_blocks = 1024;
  grid.x = std::min(grid.x, most_blocks);
  return grid;
}

}  // namespace

void multiply_rows(const RowsView& a, const SplitRows<const double>& x, const SplitRows<double>& y,
                   Index columns, cudaStream_t stream) {
  multiply<PlainSum>(a, x, y, columns, stream);
}

Index dot_partials(const SlicedView& a) {
  return grid_for(a.rows, threads);
}

void multiply_and_dot(const SlicedView& a, const SplitRows<const double>& x, double* y,
                      const ReductionRoom& room, double* dot, cudaStream_t stream) {
  multiply_and_dot_kernel<<<grid_for(a.rows, threads), threads, 0, stream>>>(a, x, y, room, dot);
  check_launch("multiply_and_dot");
}

void subtract_rows(const RowsView& a, const SplitRows<const double>& x, const double* b, double* r,
                   Index columns, cudaStream_t stream) {
  // b has the alignment of r: both are whole vectors of GPU memory.
  multiply<DifferenceSum>(a, x, {r, nullptr, a.csr.rows}, columns, stream, b, columns);
}

void add_rows(const RowsView& a, const SplitRows<const double>& x, double* y, Index columns,
              cudaStream_t stream) {
  multiply<AddedSum>(a, x, {y, nullptr, a.csr.rows}, columns, stream, y, columns);
}

void relax_rows(const RowsView& a, const Relaxation& step, const SplitRows<const double>& x,
                double* y, Index columns, cudaStream_t stream) {
  multiply<RelaxedSum>(a, x, {y, nullptr, a.csr.rows}, columns, stream, step, x.own, y, columns);
}

void multiply_row_magnitudes(const RowsView& a, double h, const SplitRows<const double>& x,
                             const SplitRows<double>& y, Index columns, cudaStream_t stream) {
  multiply<MagnitudeSum>(a, x, y, columns, stream, h);
}

Index residual_blocks(const CsrView<double>& a, Index columns) {
  Index blocks = 0;
  in_packs(a, columns % widest_pack == 0, columns,
           [&](auto, const Lanes&, dim3 grid) { blocks = residual_grid(grid).x; });
  return blocks;
}

void subtract_product(const CsrView<double>& a, const SplitRows<const double>& x, const double* b,
                      double* r, Index columns, double* maxima, cudaStream_t stream) {
  in_packs(a, columns % widest_pack == 0, columns,
           [&]<int pack>(std::integral_constant<int, pack>, const Lanes& lanes, dim3 grid) {
             residual_kernel<pack>
                 <<<residual_grid(grid), threads, 0, stream>>>(a, x, b, r, columns, lanes, maxima);
           });
  check_launch("subtract_product");
}

}  // namespace spsolve::cuda
