#include "cuda/multiply/fast/fast_rows.hpp"

#include <algorithm>

namespace spsolve::cuda::inline multiply {

Index long_row_limit(Index rows, Index nonzeros) {
  constexpr Index times_mean = 8, least = 256;
  if (rows == 0) return least;
  return std::max(least, times_mean * (nonzeros / rows + 1));
}

template <typename T>
LongRows<T> LongRows<T>::from_csr(const Csr<T>& matrix, Index limit) {
  LongRows result;
  const CutRowList list = cut_long_rows(matrix.row_offsets, limit, long_row_chunk);
  if (list.rows.empty()) return result;
  std::vector<Index> piece_offsets{0};
  std::vector<LocalIndex> all_columns;
  std::vector<T> all_values;
  for (const Index row : list.rows) {
    const auto columns = matrix.row_columns(row);
    const auto values = matrix.row_values(row);
    all_columns.insert(all_columns.end(), columns.begin(), columns.end());
    all_values.insert(all_values.end(), values.begin(), values.end());
    const Index end = static_cast<Index>(all_values.size());
    while (piece_offsets.back() < end) {
      piece_offsets.push_back(std::min(end, piece_offsets.back() + long_row_chunk));
    }
  }
  result.cut = CutRows<T>::from_list(list);
  result.cut.sums = DeviceArray<T>(list.count() * long_row_columns);
  result.piece_offsets = DeviceArray<Index>(piece_offsets);
  result.column_indices = DeviceArray<LocalIndex>(all_columns);
  result.values = DeviceArray<T>(all_values);
  return result;
}

template <typename T>
SlicedRows<T> SlicedRows<T>::from_csr(const Csr<T>& matrix, const KernelOptions&) {
  const Index limit = long_row_limit(matrix.rows, matrix.nonzeros());
  std::vector<LocalIndex> row_lengths(matrix.rows);
  for (Index row = 0; row < matrix.rows; ++row) {
    const Index length = matrix.row_offsets[row + 1] - matrix.row_offsets[row];
    row_lengths[row] = length > limit ? 0 : static_cast<LocalIndex>(length);
  }

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
  result.long_rows = LongRows<T>::from_csr(matrix, limit);
  return result;
}

SPSOLVE_INSTANTIATE(struct LongRows)
SPSOLVE_INSTANTIATE(struct SlicedRows)

}  // namespace spsolve::cuda::multiply
