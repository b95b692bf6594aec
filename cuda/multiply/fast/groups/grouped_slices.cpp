#include "cuda/multiply/fast/groups/grouped_slices.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "cuda/core/nvtx.hpp"

namespace spsolve::cuda::inline multiply {

namespace {

/// Slices of the groups that begin at `rows`, of `group_rows` rows each; of each group the first
/// lengths[g] columns.
template <typename T>
SlicedGroups<T> slices_of(const Csr<T>& matrix, const std::vector<Index>& rows,
                          const std::vector<LocalIndex>& lengths, int group_rows) {
  constexpr Index slice = SlicedGroups<T>::slice, sigma = SlicedGroups<T>::sigma;
  const auto count = static_cast<Index>(rows.size());
  SlicedGroups<T> result;
  result.count = count;
  if (count == 0) return result;
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index{0});
  for (Index window = 0; window < count; window += sigma) {
    std::stable_sort(order.begin() + window, order.begin() + std::min(count, window + sigma),
                     [&](Index a, Index b) { return lengths[a] > lengths[b]; });
  }
  std::vector<Index> offsets{0};
  std::vector<LocalIndex> slot_rows, slot_lengths;
  bool narrow = true;
  for (Index slot = 0; slot < count; ++slot) {
    const Index row = rows[order[slot]];
    const LocalIndex length = lengths[order[slot]];
    slot_rows.push_back(static_cast<LocalIndex>(row));
    slot_lengths.push_back(length);
    // The first group of a slice is its longest.
    if (slot % slice == 0) offsets.push_back(offsets.back() + slice * length);
    if (length > 0) {
      const auto columns = matrix.row_columns(row);
      using Limits = std::numeric_limits<std::int16_t>;
      narrow = narrow && columns.front() - row >= Limits::min() &&
               columns[length - 1] - row <= Limits::max();
    }
  }
  std::vector<std::int16_t> narrow_columns(narrow ? offsets.back() : 0);
  std::vector<LocalIndex> wide_columns(narrow ? 0 : offsets.back());
  std::vector<T> values(offsets.back() * group_rows);
#pragma omp parallel for schedule(static)
  for (Index slot = 0; slot < count; ++slot) {
    const Index row = slot_rows[slot], offset = offsets[slot / slice], lane = slot % slice;
    const auto columns = matrix.row_columns(row);
    for (Index j = 0; j < slot_lengths[slot]; ++j) {
      const Index place = offset + slice * j;
      if (narrow) {
        narrow_columns[place + lane] = static_cast<std::int16_t>(columns[j] - row);
      } else {
        wide_columns[place + lane] = columns[j];
      }
      for (int q = 0; q < group_rows; ++q) {
        values[place * group_rows + slice * q + lane] =
            matrix.values[matrix.row_offsets[row + q] + j];
      }
    }
  }
  result.slice_offsets = DeviceArray<Index>(offsets);
  result.rows = DeviceArray<LocalIndex>(slot_rows);
  result.lengths = DeviceArray<LocalIndex>(slot_lengths);
  result.columns = DeviceArray<LocalIndex>(wide_columns);
  result.narrow_columns = DeviceArray<std::int16_t>(narrow_columns);
  result.values = DeviceArray<T>(values);
  return result;
}

}  // namespace

template <typename T>
GroupedSlices<T> GroupedSlices<T>::from_csr(const Csr<T>& matrix, const KernelOptions&) {
  const NvtxRange range("convert to grouped slices");
  const Index limit = long_row_limit(matrix.rows, matrix.nonzeros());
  const RowGroups groups = row_groups_of(matrix, limit);
  GroupedSlices result;
  for (int r = 1; r <= most_rows_in_group; ++r) {
    const auto& rows = groups[static_cast<std::size_t>(r) - 1];
    std::vector<LocalIndex> lengths;
    for (const Index row : rows) {
      const Index length = matrix.row_offsets[row + 1] - matrix.row_offsets[row];
      lengths.push_back(length > limit ? 0 : static_cast<LocalIndex>(length));
    }
    result.groups[static_cast<std::size_t>(r) - 1] = slices_of(matrix, rows, lengths, r);
  }
  // Their sums overwrite the zeros of their slots.
  result.long_rows = LongRows<T>::from_csr(matrix, limit);
  return result;
}

template <typename T>
std::int64_t GroupedSlices<T>::bytes() const {
  std::int64_t sum = long_rows.bytes();
  for (const auto& part : groups) sum += part.bytes();
  return sum;
}

template <typename T>
SymmetricGroups<T> SymmetricGroups<T>::from_csr(const Csr<T>& matrix, const KernelOptions&) {
  const NvtxRange range("convert to symmetric groups");
  const RowGroups groups = row_groups_of(matrix, std::numeric_limits<Index>::max());
  SymmetricGroups result;
  result.rows = matrix.rows;
  for (int r = 1; r <= most_rows_in_group; ++r) {
    const auto& rows = groups[static_cast<std::size_t>(r) - 1];
    std::vector<LocalIndex> lengths;
    for (const Index row : rows) {
      const auto columns = matrix.row_columns(row);
      const auto end = std::lower_bound(columns.begin(), columns.end(), row + r);
      lengths.push_back(static_cast<LocalIndex>(end - columns.begin()));
    }
    result.groups[static_cast<std::size_t>(r) - 1] = slices_of(matrix, rows, lengths, r);
  }
  return result;
}

template <typename T>
std::int64_t SymmetricGroups<T>::bytes() const {
  std::int64_t sum = 0;
  for (const auto& part : groups) sum += part.bytes();
  return sum;
}

SPSOLVE_INSTANTIATE(struct GroupedSlices)
SPSOLVE_INSTANTIATE(struct SymmetricGroups)

}  // namespace spsolve::cuda::multiply
