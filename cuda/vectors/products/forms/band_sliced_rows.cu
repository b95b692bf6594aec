#include <bit>

#include "cuda/core/launch.cuh"
#include "cuda/core/list_offsets.cuh"
#include "cuda/vectors/products/forms/band_sliced_rows.hpp"

namespace spsolve::cuda::inline vectors {

namespace {

constexpr int threads = 256;
static_assert(slice_height == warp_size);

/// A thread for each row, which writes the columns of its group if it is the first in its slice.
__global__ void __launch_bounds__(threads)
    slice_kernel(CsrView<double> rows, BandSlicedView view, LocalIndex* columns, double* values) {
  const Index slices = (rows.rows + warp_size - 1) / warp_size;
  for (Index i = thread_index(); i < slices * warp_size; i += thread_count()) {
    const Index slice = i / warp_size, begin = view.offsets[slice];
    const Index first = i < rows.rows ? rows.row_offsets[i] : 0;
    const Index length = i < rows.rows ? rows.row_offsets[i + 1] - first : 0;
    const Index width = (view.offsets[slice + 1] - begin) / warp_size;
    const Index group = i / view.together - slice * warp_size / view.together;
    const bool leads = i % warp_size == 0 || i % view.together == 0;
    for (Index k = 0; k < width; ++k) {
      values[begin + k * warp_size + i % warp_size] = k < length ? rows.values[first + k] : 0.0;
      if (!leads) continue;
      columns[(begin / warp_size + k) * view.stride + group] =
          k < length ? rows.column_indices[first + k] : -1;
    }
  }
}

constexpr int most_together = 6;

/// Takes away from the bits of `possible` the numbers by which rows do not come together: a few
/// lanes compare a row with the one before.
__global__ void __launch_bounds__(threads)
    together_kernel(CsrView<double> rows, unsigned* possible) {
  constexpr int lanes = 8;
  for (Index i = thread_index() / lanes + 1; i < rows.rows; i += thread_count() / lanes) {
    const Index before = rows.row_offsets[i - 1], first = rows.row_offsets[i];
    const Index length = rows.row_offsets[i + 1] - first;
    bool same = first - before == length;
    for (Index k = threadIdx.x % lanes; same && k < length; k += lanes) {
      same = rows.column_indices[before + k] == rows.column_indices[first + k];
    }
    if (same) continue;
    unsigned left = 0;
    for (int number = 2; number <= most_together; ++number) left |= (i % number == 0) << number;
    if ((*possible & ~left) != 0) atomicAnd(possible, left);
  }
}

/// A warp for each slice: 32 times its longest row.
__global__ void __launch_bounds__(threads) sizes_kernel(CsrView<double> rows, Index* sizes) {
  const Index slices = (rows.rows + warp_size - 1) / warp_size;
  for (Index i = thread_index(); i < slices * warp_size; i += thread_count()) {
    Index width = i < rows.rows ? rows.row_offsets[i + 1] - rows.row_offsets[i] : 0;
#pragma unroll
    for (int distance = warp_size / 2; distance > 0; distance /= 2) {
      width = max(width, __shfl_xor_sync(whole_warp, width, distance));
    }
    if (i % warp_size == 0) sizes[i / warp_size] = width * warp_size;
  }
}

/// Where slices begin and the last one ends, slices + 1.
DeviceArray<Index> slice_offsets(const CsrView<double>& rows, cudaStream_t stream) {
  const Index slices = (rows.rows + warp_size - 1) / warp_size;
  DeviceArray<Index> sizes(slices + 1), offsets(slices + 1);
  sizes_kernel<<<grid_for(slices * warp_size, threads), threads, 0, stream>>>(rows, sizes.data());
  check_launch("slice_offsets");
  list_offsets(sizes, slices, offsets, stream);
  return offsets;
}

/// The largest number up to 6 such that all rows come in groups of so many with the same columns.
int rows_together(const CsrView<double>& rows, cudaStream_t stream) {
  unsigned possible = 0;
  for (int number = 2; number <= most_together; ++number) {
    possible |= static_cast<unsigned>(rows.rows % number == 0) << number;
  }
  DeviceArray<unsigned> there(1);
  CUDA_CHECK(
      cudaMemcpyAsync(there.data(), &possible, sizeof(possible), cudaMemcpyHostToDevice, stream));
  constexpr Index per_block = threads / 8;
  together_kernel<<<grid_for(rows.rows, per_block), threads, 0, stream>>>(rows, there.data());
  check_launch("rows_together");
  possible = there.brought(0, stream);
  return possible == 0 ? 1 : std::bit_width(possible) - 1;
}

/// Fills the columns and values of slices, the view's offsets and numbers being known.
void slice_rows(const CsrView<double>& rows, const BandSlicedView& view, LocalIndex* columns,
                double* values, cudaStream_t stream) {
  const Index slices = (rows.rows + warp_size - 1) / warp_size;
  slice_kernel<<<grid_for(slices * warp_size, threads), threads, 0, stream>>>(rows, view, columns,
                                                                              values);
  check_launch("slice_rows");
}

}  // namespace

std::optional<BandSlicedRows> BandSlicedRows::of(const CsrView<double>& rows, cudaStream_t stream) {
  // Few rows leave a GPU idle whose threads have long ones.
  constexpr Index longest_mean = 40, many_rows = 100000, longest_mean_of_many = 256;
  constexpr double most_padding = 1.2;
  const Index longest = rows.rows < many_rows ? longest_mean : longest_mean_of_many;
  if (rows.rows == 0 || rows.nonzeros > longest * rows.rows) return std::nullopt;
  BandSlicedRows result;
  result.rows_ = rows.rows;
  result.offsets_ = slice_offsets(rows, stream);
  const Index padded = result.offsets_.brought(result.offsets_.size() - 1, stream);
  if (static_cast<double>(padded) > most_padding * static_cast<double>(rows.nonzeros) + 1024) {
    return std::nullopt;
  }
  result.together_ = rows_together(rows, stream);
  // Groups that a slice has a row of, at most.
  const Index others = slice_height - 1, together = result.together_;
  result.stride_ =
      static_cast<int>(slice_height % together == 0 ? slice_height / together
                                                    : (others + together - 1) / together + 1);
  result.columns_.grow(padded / slice_height * result.stride_);
  result.values_.grow(padded);
  slice_rows(rows, result.view(), result.columns_.data(), result.values_.data(), stream);
  return result;
}

}  // namespace spsolve::cuda::vectors
