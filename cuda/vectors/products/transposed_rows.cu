#include <bit>
#include <cstdint>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "cuda/core/first_from.cuh"
#include "cuda/core/launch.cuh"
#include "cuda/vectors/products/transposed_rows.hpp"
#include "vectors/vector_bytes.hpp"

namespace spsolve::cuda::inline vectors {

namespace {

constexpr int threads = 256;

using Count = unsigned long long;
static_assert(sizeof(Count) == sizeof(Index));

__global__ void count_kernel(const LocalIndex* columns, Index nonzeros, Count* counts) {
  for (Index k = thread_index(); k < nonzeros; k += thread_count()) {
    atomicAdd(counts + columns[k], Count{1});
  }
}

__global__ void number_kernel(Index count, LocalIndex* places) {
  for (Index k = thread_index(); k < count; k += thread_count()) {
    places[k] = static_cast<LocalIndex>(k);
  }
}

/// Where the entries of each column begin among the `count` sorted ones, and where the last ends.
__global__ void starts_kernel(const LocalIndex* sorted, Index count, Index columns, Index* starts) {
  for (Index c = thread_index(); c <= columns; c += thread_count()) {
    starts[c] = first_from(sorted, count, static_cast<LocalIndex>(c));
  }
}

/// Sorted entry k of a piece, places[k] in the piece, after those of its column that earlier pieces
/// have brought.
__global__ void deal_out_kernel(CsrView<double> from, Index piece, const LocalIndex* sorted,
                                const LocalIndex* places, Index count, const Index* starts,
                                const Index* next, LocalIndex* columns, double* values) {
  for (Index k = thread_index(); k < count; k += thread_count()) {
    const Index place = piece + places[k];
    const Index to = next[sorted[k]] + k - starts[sorted[k]];
    // The row is the one before the first that begins after the place.
    const Index row = first_from(from.row_offsets, from.rows + 1, place + 1) - 1;
    columns[to] = static_cast<LocalIndex>(row);
    values[to] = from.values[place];
  }
}

__global__ void advance_kernel(Index columns, const Index* starts, Index* next) {
  for (Index c = thread_index(); c < columns; c += thread_count()) {
    next[c] += starts[c + 1] - starts[c];
  }
}

}  // namespace

DeviceCsr<double> transposed_rows(const CsrView<double>& rows, cudaStream_t stream) {
  const Index nonzeros = rows.nonzeros, columns = rows.columns;
  DeviceCsr<double> result;
  result.rows = columns;
  result.columns = rows.rows;
  result.row_offsets.grow(columns + 1);
  result.column_indices.grow(nonzeros);
  result.values.grow(nonzeros);

  const Index most = std::min(nonzeros, most_entries_sorted);
  DeviceArray<LocalIndex> sorted(most), numbers(most), places(most);
  DeviceArray<Index> starts(columns + 1), next(columns + 1);
  const int bits = std::bit_width(static_cast<std::uint64_t>(std::max<Index>(columns, 1)));
  std::size_t of_sort = 0, of_scan = 0;
  const auto sort = [&](void* room, Index begin, Index count) {
    CUDA_CHECK(cub::DeviceRadixSort::SortPairs(room, of_sort, rows.column_indices + begin,
                                               sorted.data(), numbers.data(), places.data(), count,
                                               0, bits, stream));
  };
  const auto scan = [&](void* room) {
    CUDA_CHECK(cub::DeviceScan::ExclusiveSum(room, of_scan, next.data(), result.row_offsets.data(),
                                             columns + 1, stream));
  };
  sort(nullptr, 0, most);
  scan(nullptr);
  DeviceArray<unsigned char> room(static_cast<Index>(std::max(of_sort, of_scan)));

  CUDA_CHECK(cudaMemsetAsync(next.data(), 0, static_cast<std::size_t>(next.bytes()), stream));
  if (nonzeros > 0) {
    count_kernel<<<grid_for(nonzeros, threads), threads, 0, stream>>>(
        rows.column_indices, nonzeros, reinterpret_cast<Count*>(next.data()));
    check_launch("count");
  }
  scan(room.data());
  CUDA_CHECK(cudaMemcpyAsync(next.data(), result.row_offsets.data(),
                             static_cast<std::size_t>(next.bytes()), cudaMemcpyDeviceToDevice,
                             stream));
  if (nonzeros > 0) {
    number_kernel<<<grid_for(most, threads), threads, 0, stream>>>(most, numbers.data());
    check_launch("number");
  }
  for (Index begin = 0; begin < nonzeros; begin += most) {
    const Index count = std::min(most, nonzeros - begin);
    sort(room.data(), begin, count);
    starts_kernel<<<grid_for(columns + 1, threads), threads, 0, stream>>>(sorted.data(), count,
                                                                          columns, starts.data());
    check_launch("starts");
    deal_out_kernel<<<grid_for(count, threads), threads, 0, stream>>>(
        rows, begin, sorted.data(), places.data(), count, starts.data(), next.data(),
        result.column_indices.data(), result.values.data());
    check_launch("deal_out");
    advance_kernel<<<grid_for(columns, threads), threads, 0, stream>>>(columns, starts.data(),
                                                                       next.data());
    check_launch("advance");
  }
  wait_for(stream);  // the room goes
  return result;
}

}  // namespace spsolve::cuda::vectors
