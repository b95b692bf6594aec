#include <bit>

#include "cuda/core/programmatic_launch.cuh"
#include "cuda/vectors/products/forms/row_forms.cuh"
#include "cuda/vectors/products/row_sums.cuh"

namespace spsolve::cuda::inline vectors {

using namespace row_forms;
using namespace row_sums;

namespace {

/// Thread blocks of a product of one column that are at work at once: 6 on each multiprocessor of a
/// large GPU, a chunk of rows each.
constexpr int blocks_at_once = 6, multiprocessors = 132;

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

/// The sum of all threads' numbers to `dot`: the block that is last done adds up what blocks have.
__device__ void add_up(double number, const ReductionRoom& room, double* dot) {
  number = sum_of_block(number);
  if (threadIdx.x == 0) room.partials[blockIdx.x] = number;
  if (!is_last_block(room.tickets, gridDim.x)) return;
  double sum = 0;
#pragma unroll 4
  for (unsigned b = threadIdx.x; b < gridDim.x; b += threads) sum += __ldcg(room.partials + b);
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) *dot = sum;
}

/// One column, a chunk of rows to each block.
template <typename Form, typename X>
__global__ void __launch_bounds__(threads, blocks_at_once)
    multiply_and_dot_kernel(Form a, X x, double* y, Index chunk, ReductionRoom room, double* dot) {
  wait_for_previous_launch();
  double product = 0;
  const Index first = static_cast<Index>(blockIdx.x) * chunk;
  const Index last = first + chunk < a.rows ? first + chunk : a.rows;
  for (Index i = first + threadIdx.x; i < last; i += threads) {
    PlainSum<1> sum;
    sum_up_row(a, i, x, sum);
    y[i] = sum.values[0];
    product = fma(__ldg(x.own + i), sum.values[0], product);
  }
  add_up(product, room, dot);
}

/// The same with rows of complex numbers: the sum over both parts.
template <typename X>
__global__ void __launch_bounds__(PairedWalk::threads)
    multiply_paired_and_dot_kernel(PairedView<double> a, X x, double* y, PairedWalk walk,
                                   ReductionRoom room, double* dot) {
  static_assert(PairedWalk::threads == threads);
  wait_for_previous_launch();
  double product = 0;
  over_paired_rows<1>(a, walk, 1, [&](Index i, Index) {
    PlainSum<1> re, im;
    sum_up_pair<1>(a, walk, i, x, 1, 0, re, im);
    y[2 * i] = re.values[0];
    y[2 * i + 1] = im.values[0];
    product = fma(__ldg(x.own + 2 * i), re.values[0], product);
    product = fma(__ldg(x.own + 2 * i + 1), im.values[0], product);
  });
  add_up(product, room, dot);
}

/// Packs of columns of a row that a warp has lanes for.
constexpr Index most_packs = warp_size;

/// Several columns, rows by type: sums over rows of a block go to a row of `partials`. The packs of
/// a row are a power of two, at most most_packs.
template <int pack, typename X>
__global__ void __launch_bounds__(RowWalk::threads)
    multiply_and_dots_kernel(TypedView<double> a, X x, double* y, Index columns, RowWalk walk,
                             double* partials) {
  wait_for_previous_launch();
  double products[pack] = {};
  over_packs(walk, [&](Index row, Index p) {
    const Index column = p * pack, at = row * columns + column;
    PlainSum<pack> sum;
    sum_up_typed<pack>(a, row, x, columns, column, sum);
    store_columns(y + at, sum.values, pack > 1);
    double own[pack];
    load_columns<pack, true>(x.own + at, own);
#pragma unroll
    for (int c = 0; c < pack; ++c) products[c] = fma(own[c], sum.values[c], products[c]);
  });
  const int lanes = static_cast<int>(walk.lanes);
  for (int distance = warp_size / 2; distance >= lanes; distance /= 2) {
#pragma unroll
    for (int c = 0; c < pack; ++c) products[c] += from_lane_behind(products[c], distance);
  }
  __shared__ double of_warps[RowWalk::threads / warp_size][most_packs * pack];
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
#pragma unroll
  for (int c = 0; c < pack; ++c) {
    if (lane < lanes) of_warps[warp][lane * pack + c] = products[c];
  }
  __syncthreads();
  const auto column = static_cast<Index>(threadIdx.x);
  if (column >= columns) return;
  double sum = 0;
  for (const auto& of_warp : of_warps) sum += of_warp[column];
  partials[blockIdx.x * columns + column] = sum;
}

Index blocks_of_one_column(Index rows) {
  return std::min<Index>(grid_for(rows, threads), blocks_at_once * multiprocessors);
}

RowWalk walk_of(const RowsView& a, Index columns) {
  return RowWalk::over(*a.typed, columns, widest_pack);
}

}  // namespace

bool finds_dots(const RowsView& a, Index columns) {
  if (columns == 1) return a.typed != nullptr || a.paired != nullptr || a.sliced != nullptr;
  const Index packs = columns / widest_pack;
  return a.typed != nullptr && columns % widest_pack == 0 && packs <= most_packs &&
         std::has_single_bit(static_cast<unsigned>(packs));
}

Index dot_partials(const RowsView& a, Index columns) {
  if (columns == 1) return blocks_of_one_column(a.csr.rows);
  const Index blocks = walk_of(a, columns).grid.x;
  return blocks + reduction_chunks(blocks, columns);
}

void load_product_dots() {
  cudaFuncAttributes of_one;  // of the module, which is loaded as a whole
  CUDA_CHECK(cudaFuncGetAttributes(&of_one, multiply_and_dot_kernel<BandSlicedView, OwnRows>));
}

void multiply_and_dots(const RowsView& a, const LocalRowsView<const double>& x, double* y,
                       Index columns, const ReductionRoom& room, double* dots,
                       cudaStream_t stream) {
  if (columns == 1 && a.paired != nullptr) {
    PairedWalk walk = PairedWalk::over(*a.paired, columns, 1, x.own, x.others);
    walk.grid.x = static_cast<unsigned>(blocks_of_one_column(a.paired->rows));
    return with_own_or_split(x, [&](const auto& of_x) {
      using X = std::remove_cvref_t<decltype(of_x)>;
      launch_programmatic(multiply_paired_and_dot_kernel<X>, walk.grid, threads, 0, true, stream,
                          *a.paired, of_x, y, walk, room, dots);
    });
  }
  if (columns == 1) {
    const Index blocks = blocks_of_one_column(a.csr.rows);
    const Index chunk = (a.csr.rows + blocks - 1) / blocks;
    in_one_form(a, x, [&](const auto& form, const auto& of_x) {
      using Form = std::remove_cvref_t<decltype(form)>;
      using X = std::remove_cvref_t<decltype(of_x)>;
      launch_programmatic(multiply_and_dot_kernel<Form, X>, static_cast<unsigned>(blocks), threads,
                          0, true, stream, form, of_x, y, chunk, room, dots);
    });
    return;
  }
  const RowWalk walk = walk_of(a, columns);
  with_own_or_split(x, [&](const auto& of_x) {
    using X = std::remove_cvref_t<decltype(of_x)>;
    launch_programmatic(multiply_and_dots_kernel<widest_pack, X>, walk.grid, RowWalk::threads, 0,
                        true, stream, *a.typed, of_x, y, columns, walk, room.partials);
  });
  const Index blocks = walk.grid.x;
  column_sums(room.partials, blocks, columns, {room.partials + blocks * columns, room.tickets},
              dots, stream);
}

}  // namespace spsolve::cuda::vectors
