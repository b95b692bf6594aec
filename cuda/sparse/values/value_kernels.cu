#include <cmath>

#include "cuda/core/launch.cuh"
#include "cuda/sparse/values/value_kernels.hpp"
#include "matrix/symmetry.hpp"
#include "sparse/values/inverse_power.hpp"

namespace spsolve::cuda::inline sparse {

namespace {

constexpr int threads = 256;

/// place <- max(place, value) of numbers that are not negative, whose bits are in their order.
__device__ void raise(double* place, double value) {
  if (!(value > *place)) return;  // what is there only grows
  atomicMax(reinterpret_cast<unsigned long long*>(place),
            static_cast<unsigned long long>(__double_as_longlong(value)));
}

__device__ void lower(double* place, double value) {
  if (!(value < *place)) return;
  atomicMin(reinterpret_cast<unsigned long long*>(place),
            static_cast<unsigned long long>(__double_as_longlong(value)));
}

/// The larger one; a nan is none.
__device__ double larger_of(double a, double b) {
  return a < b ? b : a;
}

template <int width>
__device__ double maximum_of_group(double value) {
#pragma unroll
  for (int distance = width / 2; distance > 0; distance /= 2) {
    value = larger_of(value, __shfl_xor_sync(whole_warp, value, distance));
  }
  return value;
}

/// For every row i begin(), visit(a, i, k) for its entries k, shared by `lanes` lanes, and
/// finish(i) on all of them; long rows have no entry here.
template <int lanes, typename Pass>
__device__ void over_rows(const CsrView<double>& a, Pass& pass) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  constexpr int rows_of_warp = warp_size / lanes;
  const Index warps = thread_count() / warp_size;
  for (Index w = thread_index() / warp_size; w * rows_of_warp < a.rows; w += warps) {
    const Index i = w * rows_of_warp + lane / lanes;
    const Index first = i < a.rows ? __ldg(a.row_offsets + i) : 0;
    Index last = i < a.rows ? __ldg(a.row_offsets + i + 1) : 0;
    if (last - first > long_row(lanes)) last = first;
    pass.begin();
#pragma unroll 4
    for (Index k = first + lane % lanes; k < last; k += lanes) pass.visit(a, i, k);
    pass.template finish<lanes>(i, lane % lanes == 0 && i < a.rows);
  }
}

struct MaximaPass {
  const double* r;
  const double* c;
  double* of_rows;
  double* of_columns;
  double most = 0;

  __device__ void begin() { most = 0; }
  __device__ void visit(const CsrView<double>& a, Index i, Index k) {
    const LocalIndex j = __ldg(a.column_indices + k);
    double magnitude = fabs(__ldg(a.values + k));
    if (r != nullptr) magnitude = magnitude * r[i] * c[j];
    most = larger_of(most, magnitude);
    if (of_columns != nullptr) raise(of_columns + j, magnitude);
  }
  template <int width>
  __device__ void finish(Index i, bool writes) {
    const double largest = maximum_of_group<width>(most);
    if (writes) of_rows[i] = largest;
  }
  __device__ void finish_piece(Index i) {
    const double largest = maximum_of_group<warp_size>(most);
    if (threadIdx.x % warp_size == 0) raise(of_rows + i, largest);
  }
};

struct ScalePass {
  const double* r;
  const double* c;
  double* to;

  __device__ void begin() {}
  __device__ void visit(const CsrView<double>& a, Index i, Index k) {
    // One after the other: their product may overflow where the entry does not.
    to[k] = __ldg(a.values + k) * r[i] * c[__ldg(a.column_indices + k)];
  }
  template <int width>
  __device__ void finish(Index, bool) {}
  __device__ void finish_piece(Index) {}
};

/// Looks at entries on the diagonal and below.
struct SymmetryPass {
  const double* largest;  // of each row, or null: a_ij = a_ji for all
  double* unmatched;

  __device__ void begin() {}
  __device__ void visit(const CsrView<double>& a, Index i, Index k) {
    const LocalIndex j = __ldg(a.column_indices + k);
    if (j > i) return;
    Index first = a.row_offsets[j], end = a.row_offsets[j + 1];
    while (first + 1 < end) {
      const Index middle = first + (end - first) / 2;
      (__ldg(a.column_indices + middle) <= i ? first : end) = middle;
    }
    const double value = __ldg(a.values + k), mirror = __ldg(a.values + first);
    if (value == mirror) return;
    if (largest == nullptr || !(fabs(value - mirror) <= rounding_of_mirrors<double> *
                                                            sqrt(largest[i]) * sqrt(largest[j]))) {
      *unmatched = 1;
    }
  }
  template <int width>
  __device__ void finish(Index, bool) {}
  __device__ void finish_piece(Index) {}
};

template <int lanes, typename Pass>
__global__ void __launch_bounds__(threads) pass_kernel(CsrView<double> a, Pass pass) {
  over_rows<lanes>(a, pass);
}

/// A piece of a long row to a warp.
template <typename Pass>
__global__ void __launch_bounds__(threads)
    pieces_kernel(CsrView<double> a, const ScaledRowPiece* pieces, Index count, Pass pass) {
  const Index number = thread_index() / warp_size;
  if (number >= count) return;
  const ScaledRowPiece piece = pieces[number];
  pass.begin();
#pragma unroll 4
  for (Index k = piece.begin + threadIdx.x % warp_size; k < piece.end; k += warp_size) {
    pass.visit(a, piece.row, k);
  }
  pass.finish_piece(piece.row);
}

template <typename Pass>
void run_pass(const RowsInPieces& rows, const Pass& pass, cudaStream_t stream) {
  const CsrView<double>& a = rows.csr;
  if (a.rows == 0) return;
  const auto launch = [&]<int lanes>(std::integral_constant<int, lanes>) {
    pass_kernel<lanes><<<grid_for(a.rows * lanes, threads), threads, 0, stream>>>(a, pass);
  };
  switch (lanes_of_row(a.nonzeros / a.rows)) {
    case 4:
      launch(std::integral_constant<int, 4>{});
      break;
    case 8:
      launch(std::integral_constant<int, 8>{});
      break;
    default:
      launch(std::integral_constant<int, warp_size>{});
  }
  if (rows.count > 0) {
    pieces_kernel<<<grid_for(rows.count * warp_size, threads), threads, 0, stream>>>(
        a, rows.pieces, rows.count, pass);
  }
  check_launch("pass over a matrix' values");
}

/// Blocks that stride over so many numbers.
unsigned few_blocks(Index count) {
  constexpr unsigned most = 1024;
  return std::min(most, grid_for(count, threads));
}

__global__ void __launch_bounds__(threads)
    spread_kernel(const double* maxima, Index count, double* spread) {
  double most = 0, least = INFINITY;
  for (Index i = thread_index(); i < count; i += thread_count()) {
    const double value = maxima[i];
    if (value == 0) continue;
    most = larger_of(most, value);
    least = value < least ? value : least;
  }
  most = maximum_of_group<warp_size>(most);
  least = -maximum_of_group<warp_size>(-least);
  if (threadIdx.x % warp_size != 0) return;
  raise(spread, most);
  lower(spread + 1, least);
}

__global__ void __launch_bounds__(threads)
    powers_kernel(const double* maxima, Index count, bool root, double* factors) {
  for (Index i = thread_index(); i < count; i += thread_count()) {
    factors[i] *= inverse_power(maxima[i], root);
  }
}

__global__ void __launch_bounds__(threads) diagonal_kernel(CsrView<double> a, double* factors) {
  for (Index i = thread_index(); i < a.rows; i += thread_count()) {
    Index begin = a.row_offsets[i], end = a.row_offsets[i + 1];
    const Index last = end;
    while (begin < end) {  // the first column from i on
      const Index middle = begin + (end - begin) / 2;
      if (a.column_indices[middle] < i) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    const bool is_there = begin < last && a.column_indices[begin] == i;
    factors[i] = is_there ? inverse_power(a.values[begin], true) : 1.0;
  }
}

__global__ void __launch_bounds__(threads)
    take_kernel(const double* values, const Index* entries, Index count, double* to) {
  for (Index k = thread_index(); k < count; k += thread_count()) to[k] = values[entries[k]];
}

__global__ void __launch_bounds__(threads)
    largest_kernel(const double* values, Index count, double* largest) {
  double most = 0;
  for (Index k = thread_index(); k < count; k += thread_count()) {
    const double magnitude = fabs(values[k]);
    most = isfinite(magnitude) ? larger_of(most, magnitude) : INFINITY;
    if (isinf(most)) break;
  }
  most = maximum_of_group<warp_size>(most);
  if (threadIdx.x % warp_size == 0) raise(largest, most);
}

}  // namespace

void find_scaled_maxima(const RowsInPieces& a, const double* r, const double* c, double* of_rows,
                        double* of_columns, cudaStream_t stream) {
  run_pass(a, MaximaPass{r, c, of_rows, of_columns}, stream);
}

void find_unmatched(const RowsInPieces& a, const double* largest, double* unmatched,
                    cudaStream_t stream) {
  run_pass(a, SymmetryPass{largest, unmatched}, stream);
}

void find_spread(const double* maxima, Index count, double* spread, cudaStream_t stream) {
  if (count == 0) return;
  spread_kernel<<<few_blocks(count), threads, 0, stream>>>(maxima, count, spread);
  check_launch("find_spread");
}

void multiply_by_inverse_powers(const double* maxima, Index count, bool root, double* factors,
                                cudaStream_t stream) {
  if (count == 0) return;
  powers_kernel<<<grid_for(count, threads), threads, 0, stream>>>(maxima, count, root, factors);
  check_launch("multiply_by_inverse_powers");
}

void inverse_powers_of_diagonal(const CsrView<double>& a, double* factors, cudaStream_t stream) {
  if (a.rows == 0) return;
  diagonal_kernel<<<grid_for(a.rows, threads), threads, 0, stream>>>(a, factors);
  check_launch("inverse_powers_of_diagonal");
}

void scale_entries(const RowsInPieces& a, const double* r, const double* c, double* values,
                   cudaStream_t stream) {
  run_pass(a, ScalePass{r, c, values}, stream);
}

void take_entries(const double* values, const Index* entries, Index count, double* to,
                  cudaStream_t stream) {
  if (count == 0) return;
  take_kernel<<<grid_for(count, threads), threads, 0, stream>>>(values, entries, count, to);
  check_launch("take_entries");
}

void find_largest(const double* values, Index count, double* largest, cudaStream_t stream) {
  if (count == 0) return;
  largest_kernel<<<few_blocks(count), threads, 0, stream>>>(values, count, largest);
  check_launch("find_largest");
}

}  // namespace spsolve::cuda::sparse
