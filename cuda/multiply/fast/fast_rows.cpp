#include "cuda/multiply/fast/fast_rows.hpp"

#include <algorithm>

namespace spsolve::cuda::inline multiply {

Index long_row_limit(Index rows, Index nonzeros) {
  constexpr Index times_mean = 8, least = 256;
  if (rows == 0) return least;
  return std::max(least, times_mean * (nonzeros / rows + 1));
}

std::vector<Index> long_rows_of(std::span<const Index> row_offsets, Index limit) {
  std::vector<Index> result;
  for (std::size_t row = 0; row + 1 < row_offsets.size(); ++row) {
    if (row_offsets[row + 1] - row_offsets[row] > limit) result.push_back(static_cast<Index>(row));
  }
  return result;
}

template <typename T>
LongRows<T> LongRows<T>::from_csr(const Csr<T>& matrix, std::span<const Index> long_rows) {
  LongRows result;
  if (long_rows.empty()) return result;
  std::vector<Index> row_chunks{0}, chunk_offsets{0};
  std::vector<LocalIndex> all_columns;
  std::vector<T> all_values;
  for (const Index row : long_rows) {
    const auto columns = matrix.row_columns(row);
    const auto values = matrix.row_values(row);
    all_columns.insert(all_columns.end(), columns.begin(), columns.end());
    all_values.insert(all_values.end(), values.begin(), values.end());
    const Index end = static_cast<Index>(all_values.size());
    while (chunk_offsets.back() < end) {
      chunk_offsets.push_back(std::min(end, chunk_offsets.back() + long_row_chunk));
    }
    row_chunks.push_back(static_cast<Index>(chunk_offsets.size()) - 1);
  }
  result.count = static_cast<Index>(long_rows.size());
  result.chunks = row_chunks.back();
  result.rows = DeviceArray<Index>(long_rows);
  result.row_chunks = DeviceArray<Index>(row_chunks);
  result.chunk_offsets = DeviceArray<Index>(chunk_offsets);
  result.column_indices = DeviceArray<LocalIndex>(all_columns);
  result.values = DeviceArray<T>(all_values);
  result.partial_sums = DeviceArray<T>(result.chunks * long_row_columns);
  return result;
}

template <typename T>
SlicedRows<T> SlicedRows<T>::from_csr(const Csr<T>& matrix, const KernelOptions&) {
  const auto long_rows =
      long_rows_of(matrix.row_offsets, long_row_limit(matrix.rows, matrix.nonzeros()));
  std::vector<LocalIndex> row_lengths(matrix.rows);
  for (Index row = 0; row < matrix.rows; ++row) {
    row_lengths[row] =
        static_cast<LocalIndex>(matrix.row_offsets[row + 1] - matrix.row_offsets[row]);
  }
  for (const Index row : long_rows) row_lengths[row] = 0;

  std::vector<std::uint16_t> places(matrix.rows);
  std::vector<LocalIndex> lengths(matrix.rows);
  std::vector<Index> offsets{0};
  for (Index window = 0; window < matrix.rows; window += sigma) {
    const Index end = std::min(matrix.rows, window + sigma);
    for (Index slot = window; slot < end; ++slot) {
      places[slot] = static_cast<std::uint16_t>(slot - window);
    }
    std::stable_sort(places.begin() + window, places.begin() + end,
                     [&](std::uint16_t a, std::uint16_t b) {
                       return row_lengths[window + a] > row_lengths[window + b];
                     });
    for (Index slot = window; slot < end; ++slot) {
      lengths[slot] = row_lengths[window + places[slot]];
      // The first row of a slice is its longest.
      if (slot % slice == 0) offsets.push_back(offsets.back() + slice * lengths[slot]);
    }
  }

  std::vector<LocalIndex> columns(offsets.back());
  std::vector<T> values(offsets.back());
  for (Index slot = 0; slot < matrix.rows; ++slot) {
    const Index row = slot / sigma * sigma + places[slot];
    const Index from = matrix.row_offsets[row], to = offsets[slot / slice] + slot % slice;
    for (Index j = 0; j < lengths[slot]; ++j) {
      columns[to + slice * j] = matrix.column_indices[from + j];
      values[to + slice * j] = matrix.values[from + j];
    }
  }
  SlicedRows result;
  result.rows = matrix.rows;
  result.slice_offsets = DeviceArray<Index>(offsets);
  result.places = DeviceArray<std::uint16_t>(places);
  result.lengths = DeviceArray<LocalIndex>(lengths);
  result.column_indices = DeviceArray<LocalIndex>(columns);
  result.values = DeviceArray<T>(values);
  result.long_rows = LongRows<T>::from_csr(matrix, long_rows);
  return result;
}

SPSOLVE_INSTANTIATE(struct LongRows)
SPSOLVE_INSTANTIATE(struct SlicedRows)

}  // namespace spsolve::cuda::multiply
