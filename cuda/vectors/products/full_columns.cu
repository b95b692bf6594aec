#include <algorithm>
#include <type_traits>

#include "cuda/core/launch.cuh"
#include "cuda/vectors/products/full_columns.hpp"

namespace spsolve::cuda::inline vectors {

namespace {

constexpr int threads = 256;
constexpr int most_columns = 8;

/// A thread has a column of A, and a block a share of the rows for all of its columns: what it adds
/// up goes to row `share` of `parts`, (columns of A) x count each. x is of K columns, of which
/// `count` from `first` on are taken.
template <int count, Terms terms>
__global__ void __launch_bounds__(threads)
    add_up_columns(CsrView<double> a, Index rows_of_share, const double* x, Index columns,
                   Index first, double* parts) {
  const Index j = static_cast<Index>(blockIdx.x) * threads + threadIdx.x;
  if (j >= a.columns) return;
  const Index begin = static_cast<Index>(blockIdx.y) * rows_of_share;
  const Index end = min(begin + rows_of_share, a.rows);
  double sums[count] = {};
#pragma unroll 8
  for (Index i = begin; i < end; ++i) {
    double element = __ldcs(a.values + i * a.columns + j);
    if (terms == Terms::magnitudes) element = fabs(element);
#pragma unroll
    for (int c = 0; c < count; ++c) {
      const double factor = __ldg(x + i * columns + first + c);
      sums[c] = fma(element, terms == Terms::magnitudes ? fabs(factor) : factor, sums[c]);
    }
  }
  double* const part = parts + (static_cast<Index>(blockIdx.y) * a.columns + j) * count;
#pragma unroll
  for (int c = 0; c < count; ++c) part[c] = sums[c];
}

__global__ void add_up_shares(const double* parts, Index shares, Index height, Index count,
                              double* y, Index columns, Index first) {
  const Index k = thread_index();
  if (k >= height * count) return;
  double sum = 0;
  for (Index s = 0; s < shares; ++s) sum += parts[s * height * count + k];
  y[k / count * columns + first + k % count] = sum;
}

}  // namespace

void multiply_full_columns(const CsrView<double>& a, Terms terms, const double* x, double* y,
                           Index columns, DeviceArray<double>& parts, cudaStream_t stream) {
  if (a.columns == 0) return;
  constexpr Index most_shares = 64, blocks_worth_having = 1024, least_rows = 64;
  const unsigned width = grid_for(a.columns, threads);
  const Index shares =
      std::clamp<Index>(blocks_worth_having / width, 1,
                        std::min(most_shares, (a.rows + least_rows - 1) / least_rows));
  const Index rows = (a.rows + shares - 1) / shares;
  parts.grow(shares * a.columns * std::min<Index>(columns, most_columns));
  const auto pass = [&]<int count>(std::integral_constant<int, count>, Index first) {
    const dim3 grid(width, static_cast<unsigned>(shares));
    const auto kernel = terms == Terms::values ? add_up_columns<count, Terms::values>
                                               : add_up_columns<count, Terms::magnitudes>;
    kernel<<<grid, threads, 0, stream>>>(a, rows, x, columns, first, parts.data());
    add_up_shares<<<grid_for(a.columns * count, threads), threads, 0, stream>>>(
        parts.data(), shares, a.columns, count, y, columns, first);
  };
  static_assert(most_columns == 8);
  for (Index first = 0; first < columns;) {
    const Index left = columns - first;
    if (left >= 8) {
      pass(std::integral_constant<int, 8>{}, first);
      first += 8;
    } else if (left >= 4) {
      pass(std::integral_constant<int, 4>{}, first);
      first += 4;
    } else if (left >= 2) {
      pass(std::integral_constant<int, 2>{}, first);
      first += 2;
    } else {
      pass(std::integral_constant<int, 1>{}, first);
      first += 1;
    }
  }
  check_launch("multiply_full_columns");
}

}  // namespace spsolve::cuda::vectors
