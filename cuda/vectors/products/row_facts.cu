#include "cuda/vectors/products/row_facts.hpp"
#include "cuda/vectors/products/rows_by_lanes.cuh"

namespace spsolve::cuda::inline vectors {

using namespace rows_by_lanes;

namespace {

__global__ void longest_kernel(CsrView<double> a, unsigned long long* longest) {
  Index mine = 0;
  for (Index i = thread_index(); i < a.rows; i += thread_count()) {
    mine = max(mine, a.row_offsets[i + 1] - a.row_offsets[i]);
  }
#pragma unroll
  for (int distance = warp_size / 2; distance > 0; distance /= 2) {
    mine = max(mine, __shfl_xor_sync(whole_warp, mine, distance));
  }
  if (threadIdx.x % warp_size == 0) atomicMax(longest, static_cast<unsigned long long>(mine));
}

__global__ void diagonal_kernel(CsrView<double> a, double* d, double* inverse) {
  for_rows(a.rows, [&](Index i) {
    const RowEntries place = place_of(a, i);
    double diagonal = 0;
    for (Index k = place.first + lane_of_row(); k < place.last; k += lanes) {
      if (a.column_indices[k] == i) diagonal = fabs(a.values[k]);
    }
    diagonal = over_lanes(diagonal, Sum());
    if (i < a.rows && lane_of_row() == 0) {
      d[i] = diagonal == 0 ? 1.0 : diagonal;
      inverse[i] = 1 / d[i];
    }
  });
}

__global__ void row_maxima_kernel(CsrView<double> a, double* largest) {
  for_rows(a.rows, [&](Index i) {
    const RowEntries place = place_of(a, i);
    double most = 0;
    for (Index k = place.first + lane_of_row(); k < place.last; k += lanes) {
      most = fmax(most, fabs(a.values[k]));
    }
    most = over_lanes(most, Maximum());
    if (i < a.rows && lane_of_row() == 0) largest[i] = most;
  });
}

/// Numbers >= 0 are in the order of their bits. Most entries are no larger than what is there.
__global__ void column_maxima_kernel(CsrView<double> a, const double* factors, double* largest) {
  for_rows(a.rows, [&](Index i) {
    const RowEntries place = place_of(a, i);
    const double factor = i < a.rows ? factors[i] : 0.0;
    for (Index k = place.first + lane_of_row(); k < place.last; k += lanes) {
      const double value = factor * fabs(a.values[k]);
      double* const most = largest + a.column_indices[k];
      if (!(value > *static_cast<volatile double*>(most))) continue;
      atomicMax(reinterpret_cast<unsigned long long*>(most),
                static_cast<unsigned long long>(__double_as_longlong(value)));
    }
  });
}

}  // namespace

void write_row_maxima(const CsrView<double>& a, double* largest, cudaStream_t stream) {
  if (a.rows == 0) return;
  row_maxima_kernel<<<grid_of_rows(a.rows), threads, 0, stream>>>(a, largest);
  check_launch("row_maxima");
}

void write_column_maxima(const CsrView<double>& a, const double* factors, double* largest,
                         cudaStream_t stream) {
  if (a.columns == 0) return;
  CUDA_CHECK(
      cudaMemsetAsync(largest, 0, static_cast<std::size_t>(a.columns) * sizeof(double), stream));
  if (a.rows == 0) return;
  column_maxima_kernel<<<grid_of_rows(a.rows), threads, 0, stream>>>(a, factors, largest);
  check_launch("column_maxima");
}

Index longest_row(const CsrView<double>& rows, cudaStream_t stream) {
  if (rows.rows == 0) return 0;
  DeviceArray<unsigned long long> longest(1);
  CUDA_CHECK(cudaMemsetAsync(longest.data(), 0, sizeof(unsigned long long), stream));
  longest_kernel<<<grid_for(rows.rows, threads), threads, 0, stream>>>(rows, longest.data());
  check_launch("longest");
  return static_cast<Index>(longest.brought(0, stream));
}

void write_diagonal(const CsrView<double>& a, double* d, double* inverse, cudaStream_t stream) {
  if (a.rows == 0) return;
  diagonal_kernel<<<grid_of_rows(a.rows), threads, 0, stream>>>(a, d, inverse);
  check_launch("diagonal");
}

}  // namespace spsolve::cuda::vectors
