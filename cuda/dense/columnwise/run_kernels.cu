#include "cuda/core/launch.cuh"
#include "cuda/core/magnitude.cuh"
#include "cuda/core/packed.cuh"
#include "cuda/core/programmatic_launch.cuh"
#include "cuda/dense/columnwise/candidate.cuh"
#include "cuda/dense/columnwise/run_kernels.hpp"

namespace spsolve::cuda::inline dense {

namespace {

constexpr int threads = 256;
constexpr int warps = threads / warp_size;

/// Rows that a warp has in registers at once, and those of the smallest and of the largest tile.
constexpr int rows_at_once = 4;
constexpr int smallest_tile = warps * rows_at_once;
constexpr int largest_tile = 4 * smallest_tile;

/// A thread's part of a row; a warp has a stripe of columns, 512 bytes from a whole cache line on.
template <typename T>
using Pack = Packed<T, full_pack<T>>;
template <typename T>
constexpr Index stripe_columns = warp_size* static_cast<Index>(full_pack<T>);
template <typename T>
constexpr Index line_columns = 128 / static_cast<Index>(sizeof(T));

/// 16 bytes at once, as no assignment of structures promises.
__device__ void store_pack(double* p, const Pack<double>& from) {
  __stwb(reinterpret_cast<double2*>(p), make_double2(from.elements[0], from.elements[1]));
}
__device__ void store_pack(float* p, const Pack<float>& from) {
  __stwb(reinterpret_cast<float4*>(p),
         make_float4(from.elements[0], from.elements[1], from.elements[2], from.elements[3]));
}

/// The facts that all blocks of a step know.
template <typename T>
struct Step {
  ColumnRun<T> run;
  Index k;               ///< the column
  int place;             ///< of the step in its run
  Index first_row;       ///< rows from here on are updated: 0, or k + 1
  Index first_line;      ///< column where stripe 0 begins, at most k + 1
  unsigned own_stripes;  ///< of the matrix; those after them are of right-hand sides
  int tile_rows;
  bool search;

  __device__ const T* column() const { return run.columns + place % 2 * run.order; }
  __device__ T* next_column() const { return run.columns + (place + 1) % 2 * run.order; }
};

/// Part of a row: this lane's neighbouring columns, from j on, of the matrix or of right-hand
/// sides; those of the matrix up to k belong to others.
template <typename T>
struct LaneColumns {
  bool carried;  ///< they are of right-hand sides
  T* rows;       ///< row 0, column 0
  Index stride;
  Index j;
  bool active;  ///< it has columns after k
  bool whole;   ///< nothing but such columns; beyond the order there is padding
  bool next;    ///< column k + 1 is one of them

  __device__ LaneColumns(const Step<T>& step)
      : carried(blockIdx.x >= step.own_stripes),
        rows(carried ? step.run.carried : step.run.a),
        stride(carried ? step.run.carried_stride : step.run.stride),
        j((carried ? (blockIdx.x - step.own_stripes) * stripe_columns<T>
                   : step.first_line + blockIdx.x * stripe_columns<T>)+threadIdx.x %
          warp_size * full_pack<T>),
        active(carried ? j < step.run.carried_columns
                       : j < step.run.order && j + full_pack<T> > step.k + 1),
        whole(carried || j > step.k),
        next(!carried && active && j <= step.k + 1 && step.k + 1 < step.run.order) {}

  __device__ T* row(Index i) const { return rows + i * stride; }

  __device__ Pack<T> load(const T* row) const {
    return active ? *reinterpret_cast<const Pack<T>*>(row + j) : Pack<T>{};
  }
  __device__ void store(T* row, const Pack<T>& values, Index k) const {
    if (!active) return;
    if (whole) return store_pack(row + j, values);
#pragma unroll
    for (int c = 0; c < full_pack<T>; ++c) {
      if (j + c > k) row[j + c] = values.elements[c];
    }
  }
};

/// values <- values - m pivot, rounded once.
template <typename T>
__device__ void subtract(Pack<T>& values, T m, const Pack<T>& pivot) {
#pragma unroll
  for (int c = 0; c < full_pack<T>; ++c) {
    values.elements[c] = fma(-m, pivot.elements[c], values.elements[c]);
  }
}

/// Hands a row's element of column k + 1 on to the next step; only for the lane that has it.
template <typename T>
__device__ void choose_next_candidate(const Step<T>& step, const LaneColumns<T>& lane, Index row,
                                      const Pack<T>& values, Candidate& best) {
  T next{};
#pragma unroll
  for (int c = 0; c < full_pack<T>; ++c) {
    if (lane.j + c == step.k + 1) next = values.elements[c];
  }
  step.next_column()[row] = next;
  if (step.search ? row <= step.k : row != step.k + 1) return;
  const Candidate here{magnitude_key(next), row, step.k + 1};
  if (better(here, best)) best = here;
}

/// The columns before k of rows k and p, multipliers all, change places, dealt out to all threads
/// of the grid.
template <typename T>
__device__ void swap_multipliers(const Step<T>& step, Index p) {
  T* const upper = step.run.a + step.k * step.run.stride;
  T* const lower = step.run.a + p * step.run.stride;
  const Index block = static_cast<Index>(blockIdx.y) * gridDim.x + blockIdx.x;
  const Index count = static_cast<Index>(gridDim.y) * gridDim.x * threads;
  for (Index j = block * threads + threadIdx.x; j < step.k; j += count) {
    const T kept = upper[j];
    upper[j] = lower[j];
    lower[j] = kept;
  }
}

/// The pivot row of a step, as this lane and the block's other threads know it.
template <typename T>
struct PivotRow {
  Index row;  ///< p, where it lies until the stripe's last block swaps it with row k
  T pivot;
  Pack<T> values;
};

/// The rest of a stripe when its tiles are done: row p, which takes what row k was and is updated
/// as the other rows; row k, which takes the pivot row; and, in stripe 0, the choice of the next
/// pivot among the tiles' candidates and row p.
template <typename T>
__device__ void finish_stripe(const Step<T>& step, const LaneColumns<T>& lane,
                              const PivotRow<T>& p) {
  const Index k = step.k;
  Candidate best{0, 0, 0};
  if (threadIdx.x < warp_size) {
    T* const row_k = lane.row(k);
    T* const row_p = lane.row(p.row);
    if (p.row != k) {
      const T m = step.column()[k] / p.pivot;
      Pack<T> values = lane.load(row_k);
      subtract(values, m, p.values);
      lane.store(row_p, values, k);
      lane.store(row_k, p.values, k);
      if (lane.next) choose_next_candidate(step, lane, p.row, values, best);
      if (blockIdx.x == 0 && threadIdx.x == 0) {
        row_k[k] = p.pivot;
        row_p[k] = m;
      }
    }
    if (lane.next) choose_next_candidate(step, lane, k, p.values, best);

    unsigned long long largest = magnitude_key(p.pivot);
#pragma unroll
    for (int c = 0; c < full_pack<T>; ++c) {
      if (lane.carried || lane.j + c <= k || lane.j + c >= step.run.order) continue;
      largest = max(largest, magnitude_key(p.values.elements[c]));
    }
    unsigned long long of_warp = 0;
    lane_of_largest(largest, of_warp);
    if (threadIdx.x == 0) atomicMax(&step.run.report->largest, of_warp);
  }
  if (blockIdx.x > 0 || k + 1 >= step.run.order) return;
  for (Index i = threadIdx.x; i < static_cast<Index>(gridDim.y) * warps; i += threads) {
    const Candidate other = load_fresh(step.run.candidates + i);
    if (better(other, best)) best = other;
  }
  best = best_of_block<threads>(best);
  if (threadIdx.x == 0) step.run.report->pivots[step.place + 1] = best;
}

/// A block's rows of a step and its stripe of their columns, updated in place.
template <typename T>
struct Tile {
  T* a;        ///< the first row, column 0, of the matrix or of right-hand sides
  Index top;   ///< that row's number
  int height;  ///< rows
  Index stride;
  int warp;

  __device__ Tile(const Step<T>& step, const LaneColumns<T>& lane, Index number)
      : top(step.first_row + number * step.tile_rows),
        height(static_cast<int>(min(static_cast<Index>(step.tile_rows), step.run.order - top))),
        stride(lane.stride),
        warp(static_cast<int>(threadIdx.x) / warp_size) {
    a = lane.row(top);
  }

  __device__ T* row(int i) const { return a + i * stride; }

  /// The place of a row of the matrix, or -1.
  __device__ int place_of(Index wanted) const {
    return wanted >= top && wanted < top + height ? static_cast<int>(wanted - top) : -1;
  }

  /// Rows first, first + warps, ... of this warp.
  __device__ void load(const LaneColumns<T>& lane, int first,
                       Pack<T> (&values)[rows_at_once]) const {
#pragma unroll
    for (int r = 0; r < rows_at_once; ++r) {
      if (first + r * warps < height) values[r] = lane.load(row(first + r * warps));
    }
  }

  /// All rows but k and p; `values` are the first ones. Column k + 1 lies in stripe 0: there,
  /// `best` is the best candidate among these rows.
  template <bool in_stripe_0>
  __device__ void update(const Step<T>& step, const LaneColumns<T>& lane, const PivotRow<T>& p,
                         const T* multipliers, Pack<T> (&values)[rows_at_once],
                         Candidate& best) const {
    const int place_of_k = place_of(step.k), place_of_p = place_of(p.row);
    for (int first = warp; first < height; first += smallest_tile) {
      if (first != warp) load(lane, first, values);
#pragma unroll
      for (int r = 0; r < rows_at_once; ++r) {
        const int i = first + r * warps;
        if (i >= height || i == place_of_k || i == place_of_p) continue;
        subtract(values[r], multipliers[i], p.values);
        if constexpr (in_stripe_0) {
          lane.store(row(i), values[r], step.k);
          if (lane.next) choose_next_candidate(step, lane, top + i, values[r], best);
        } else if (lane.active) {
          store_pack(row(i) + lane.j, values[r]);
        }
      }
    }
  }
};

/// One step: block (x, y) updates the part of stripe x in tile y of the rows.
template <typename T>
__global__ void __launch_bounds__(threads, 4) eliminate_column(const Step<T> step) {
  __shared__ T multipliers[largest_tile];
  trigger_and_wait();
  const LaneColumns<T> lane(step);
  // Every other step from below: it begins with what the last one left in the cache.
  const Index number = step.k % 2 == 0 ? blockIdx.y : gridDim.y - 1 - blockIdx.y;
  const Tile<T> tile(step, lane, number);
  // The first rows are on their way while the pivot is looked up.
  Pack<T> values[rows_at_once];
  tile.load(lane, tile.warp, values);

  const Candidate chosen = step.run.report->pivots[step.place];
  if (!is_key_of_pivot<T>(chosen.key)) return;  // and so do all steps after this one
  const PivotRow<T> p{chosen.row, step.column()[chosen.row], lane.load(lane.row(chosen.row))};
  static_assert(largest_tile <= threads);
  if (const int i = static_cast<int>(threadIdx.x); i < tile.height) {
    const Index row = tile.top + i;
    const T m = step.column()[row] / p.pivot;
    multipliers[i] = m;
    if (blockIdx.x == 0 && row != step.k && row != p.row) tile.row(i)[step.k] = m;
  }
  if (p.row != step.k) swap_multipliers(step, p.row);
  __syncthreads();

  if (blockIdx.x == 0) {
    Candidate best{0, 0, 0};
    tile.template update<true>(step, lane, p, multipliers, values, best);
    if (lane.next) step.run.candidates[number * warps + tile.warp] = best;
  } else {
    Candidate none;
    tile.template update<false>(step, lane, p, multipliers, values, none);
  }
  // The others of its stripe read nothing any more.
  if (is_last_block(step.run.stripes + blockIdx.x, gridDim.y)) finish_stripe(step, lane, p);
}

/// Writes the column that the first step reads, and its pivot into the report, with nothing after
/// it.
template <typename T>
__global__ void begin_run(ColumnRun<T> run, Index k, const Candidate* pivot) {
  const Index i = thread_index();
  if (i < run.order) run.columns[i] = run.a[i * run.stride + k];
  if (i <= longest_column_run) run.report->pivots[i] = i == 0 ? *pivot : Candidate{0, 0, 0};
  if (i == 0) run.report->largest = 0;
}

/// Rows of a tile: few where all blocks run at once, so that the last of them ends soon; more where
/// a tile's beginning and end would take the time of its update.
int tile_rows_for(Index rows, Index stripes) {
  constexpr Index blocks_wanted = 512;  // about four on each multiprocessor
  int tile = smallest_tile;
  while (tile < largest_tile && grid_for(rows, 2 * tile) * stripes >= blocks_wanted) tile *= 2;
  return tile;
}

}  // namespace

Index candidate_count(Index order) {
  return grid_for(order, smallest_tile) * static_cast<Index>(warps);
}

template <typename T>
Index stripe_count(Index order, Index carried_columns) {
  return order / stripe_columns<T> + carried_columns / stripe_columns<T> + 3;
}

template <typename T>
void eliminate_columns(const ColumnRun<T>& run, Index first, Index count, bool jordan, bool search,
                       const Candidate* pivot, cudaStream_t stream) {
  const Index cells = std::max<Index>(run.order, longest_column_run + 1);
  begin_run<T><<<grid_for(cells, threads), threads, 0, stream>>>(run, first, pivot);
  check_launch("begin_run");
  for (int place = 0; place < count; ++place) {
    const Index k = first + place;
    const Index first_line = (k + 1) / line_columns<T> * line_columns<T>;
    const unsigned own_stripes = grid_for(run.order - first_line, stripe_columns<T>);
    Step<T> step{run, k, place, jordan ? 0 : k + 1, first_line, own_stripes, 0, search};
    const Index rows = run.order - step.first_row;
    const unsigned stripes =
        own_stripes +
        (run.carried_columns > 0 ? grid_for(run.carried_columns, stripe_columns<T>) : 0);
    step.tile_rows = tile_rows_for(rows, stripes);
    const dim3 grid(stripes, grid_for(rows, step.tile_rows));
    launch_programmatic(eliminate_column<T>, grid, threads, 0, place > 0, stream, step);
  }
}

SPSOLVE_INSTANTIATE_FUNCTION(stripe_count)
SPSOLVE_INSTANTIATE_FUNCTION(eliminate_columns)

}  // namespace spsolve::cuda::dense
