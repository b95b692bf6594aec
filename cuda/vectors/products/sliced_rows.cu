#include "cuda/core/launch.cuh"
#include "cuda/vectors/products/sliced_rows.hpp"

namespace spsolve::cuda {

namespace {

constexpr int threads = 256;
static_assert(slice_height == warp_size);

/// A thread for each row.
__global__ void __launch_bounds__(threads)
    slice_kernel(CsrView<double> rows, const Index* offsets, LocalIndex* columns, double* values) {
  const Index slices = (rows.rows + warp_size - 1) / warp_size;
  for (Index i = thread_index(); i < slices * warp_size; i += thread_count()) {
    const Index slice = i / warp_size;
    const Index first = i < rows.rows ? rows.row_offsets[i] : 0;
    const Index length = i < rows.rows ? rows.row_offsets[i + 1] - first : 0;
    const Index width = (offsets[slice + 1] - offsets[slice]) / warp_size;
    for (Index k = 0; k < width; ++k) {
      const Index to = offsets[slice] + k * warp_size + i % warp_size;
      columns[to] = k < length ? rows.column_indices[first + k] : -1;
      values[to] = k < length ? rows.values[first + k] : 0.0;
    }
  }
}

}  // namespace

void slice_rows(const CsrView<double>& rows, const Index* offsets, LocalIndex* columns,
                double* values, cudaStream_t stream) {
  const Index slices = (rows.rows + warp_size - 1) / warp_size;
  slice_kernel<<<grid_for(slices * warp_size, threads), threads, 0, stream>>>(rows, offsets,
                                                                              columns, values);
  check_launch("slice_rows");
}

}  // namespace spsolve::cuda
