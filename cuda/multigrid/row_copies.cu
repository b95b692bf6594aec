#include "cuda/core/launch.cuh"
#include "cuda/core/list_offsets.cuh"
#include "cuda/multigrid/row_copies.hpp"
#include "cuda/vectors/products/rows_by_lanes.cuh"

namespace spsolve::cuda::inline multigrid {

using namespace rows_by_lanes;

namespace {

/// Rows by list, or all in their order where there is none.
struct Listed {
  CsrView<double> rows;
  const LocalIndex* list;

  __device__ RowEntries place(Index k) const {
    return place_of(rows, list != nullptr ? list[k] : k);
  }
};

__device__ Index length_of(const RowEntries& place) {
  return place.last - place.first;
}

__global__ void lengths_kernel(Listed from, Index count, Index* lengths) {
  for (Index k = thread_index(); k < count; k += thread_count()) {
    lengths[k] = length_of(from.place(k));
  }
}

__global__ void add_lengths_kernel(Listed from, Index count, Index* lengths) {
  for (Index k = thread_index(); k < count; k += thread_count()) {
    lengths[k] += length_of(from.place(k));
  }
}

/// To where row k begins, or so that it ends where row k does.
__global__ void copy_kernel(Listed from, Index count, const Index* offsets, bool to_the_end,
                            LocalIndex* columns, double* values) {
  for (Index k = thread_index() / lanes; k < count; k += thread_count() / lanes) {
    const RowEntries place = from.place(k);
    const Index to = to_the_end ? offsets[k + 1] - length_of(place) : offsets[k];
    for (Index entry = lane_of_row(); entry < length_of(place); entry += lanes) {
      columns[to + entry] = from.rows.column_indices[place.first + entry];
      values[to + entry] = from.rows.values[place.first + entry];
    }
  }
}

__global__ void renumber_kernel(const LocalIndex* columns, Index count, Index own,
                                const LocalIndex* numbers, LocalIndex* to) {
  for (Index k = thread_index(); k < count; k += thread_count()) {
    to[k] = columns[k] < own ? columns[k] : numbers[columns[k] - own];
  }
}

__global__ void named_kernel(const LocalIndex* columns, Index nonzeros, Index own,
                             unsigned char* named) {
  for (Index k = thread_index(); k < nonzeros; k += thread_count()) {
    if (columns[k] >= own) named[columns[k] - own] = 1;
  }
}

__global__ void shift_kernel(const Index* offsets, Index count, Index by, Index* to) {
  for (Index k = thread_index(); k < count; k += thread_count()) to[k] = offsets[k] + by;
}

void copy_rows(const Listed& from, bool to_the_end, DeviceCsr<double>& to, cudaStream_t stream) {
  copy_kernel<<<grid_of_rows(to.rows), threads, 0, stream>>>(
      from, to.rows, to.row_offsets.data(), to_the_end, to.column_indices.data(), to.values.data());
  check_launch("copy_rows");
}

void renumber(const CsrView<double>& rows, Index own, const DeviceArray<LocalIndex>& numbers,
              LocalIndex* to, cudaStream_t stream) {
  renumber_kernel<<<grid_for(rows.nonzeros, threads), threads, 0, stream>>>(
      rows.column_indices, rows.nonzeros, own, numbers.data(), to);
  check_launch("renumber");
}

template <typename T>
void copy_on_device(const T* from, T* to, Index count, cudaStream_t stream) {
  if (count == 0) return;
  CUDA_CHECK(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(T),
                             cudaMemcpyDeviceToDevice, stream));
}

/// Room for rows of these lengths.
DeviceCsr<double> room_for(DeviceArray<Index>& lengths, Index rows, Index columns,
                           cudaStream_t stream) {
  DeviceCsr<double> result;
  result.rows = rows;
  result.columns = columns;
  result.row_offsets.grow(rows + 1);
  list_offsets(lengths, rows, result.row_offsets, stream);
  const Index nonzeros = result.row_offsets.brought(rows, stream);
  result.column_indices.grow(nonzeros);
  result.values.grow(nonzeros);
  return result;
}

}  // namespace

DeviceCsr<double> listed_rows(const CsrView<double>& rows, const DeviceArray<LocalIndex>& list,
                              cudaStream_t stream) {
  const Listed from{rows, list.data()};
  const Index count = list.size();
  DeviceArray<Index> lengths(count + 1);
  lengths_kernel<<<grid_for(count, threads), threads, 0, stream>>>(from, count, lengths.data());
  check_launch("lengths");
  DeviceCsr<double> result = room_for(lengths, count, rows.columns, stream);
  copy_rows(from, false, result, stream);
  wait_for(stream);
  return result;
}

DeviceCsr<double> joined_rows(const CsrView<double>& left, const CsrView<double>& right,
                              Index columns, cudaStream_t stream) {
  const Index count = left.rows;
  DeviceArray<Index> lengths(count + 1);
  const unsigned grid = grid_for(count, threads);
  lengths_kernel<<<grid, threads, 0, stream>>>({left, nullptr}, count, lengths.data());
  add_lengths_kernel<<<grid, threads, 0, stream>>>({right, nullptr}, count, lengths.data());
  check_launch("lengths");
  DeviceCsr<double> result = room_for(lengths, count, columns, stream);
  copy_rows({left, nullptr}, false, result, stream);
  copy_rows({right, nullptr}, true, result, stream);
  wait_for(stream);
  return result;
}

DeviceCsr<double> stacked_rows(const CsrView<double>& above, Index own,
                               const DeviceArray<LocalIndex>& numbers, const CsrView<double>& below,
                               Index columns, cudaStream_t stream) {
  DeviceCsr<double> result;
  result.rows = above.rows + below.rows;
  result.columns = columns;
  result.row_offsets.grow(result.rows + 1);
  result.column_indices.grow(above.nonzeros + below.nonzeros);
  result.values.grow(above.nonzeros + below.nonzeros);
  copy_on_device(above.values, result.values.data(), above.nonzeros, stream);
  copy_on_device(below.values, result.values.data() + above.nonzeros, below.nonzeros, stream);
  renumber(above, own, numbers, result.column_indices.data(), stream);
  copy_on_device(below.column_indices, result.column_indices.data() + above.nonzeros,
                 below.nonzeros, stream);
  copy_on_device(above.row_offsets, result.row_offsets.data(), above.rows, stream);
  shift_kernel<<<grid_for(below.rows + 1, threads), threads, 0, stream>>>(
      below.row_offsets, below.rows + 1, above.nonzeros, result.row_offsets.data() + above.rows);
  check_launch("shift");
  wait_for(stream);
  return result;
}

std::vector<unsigned char> named_columns(const CsrView<double>& rows, Index own, Index count,
                                         cudaStream_t stream) {
  DeviceArray<unsigned char> there(count);
  CUDA_CHECK(cudaMemsetAsync(there.data(), 0, static_cast<std::size_t>(count), stream));
  named_kernel<<<grid_for(rows.nonzeros, threads), threads, 0, stream>>>(
      rows.column_indices, rows.nonzeros, own, there.data());
  check_launch("named");
  wait_for(stream);
  std::vector<unsigned char> named(static_cast<std::size_t>(count));
  there.download(named);
  return named;
}

void renumber_columns(DeviceCsr<double>& rows, Index own, const DeviceArray<LocalIndex>& numbers,
                      Index columns, cudaStream_t stream) {
  renumber(rows.view(), own, numbers, rows.column_indices.data(), stream);
  rows.columns = columns;
  wait_for(stream);
}

}  // namespace spsolve::cuda::multigrid
